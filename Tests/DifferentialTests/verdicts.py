"""Compares what Pawl came to with what the reference came to."""

import dataclasses
import re

import unpackers
from entries import Packed


@dataclasses.dataclass
class Verdict:
    """An entry, the outcome of each program, and what is wrong with Pawl's; nothing if `fault` is empty."""

    entry: object
    outcomes: dict
    fault: str

    def shown(self, name):
        """The outcome of one program, in some words."""
        if isinstance(self.entry, Packed):
            reference = self.outcomes[self.entry.reference]
            return tree_shown(self.outcomes[name], reference if reference.is_done else None)
        return file_shown(self.outcomes[name], right(self.entry))


def judge(entry, outcomes):
    """The verdict on one entry."""
    verdict = Verdict(entry, outcomes, "")
    verdict.fault = misbehaviour(entry, outcomes["pawl"]) or difference(verdict)
    return verdict


def misbehaviour(entry, pawl):
    """What no outcome of a reference excuses."""
    if pawl.end in ("crashed", "hung"):
        return f"Pawl {pawl.end}: {brief(pawl.said)}"
    if pawl.is_done:
        return ""
    if not pawl.said.strip():
        return f"Pawl failed with {pawl.code} and said nothing"
    if isinstance(entry, Packed) and entry.says_why not in pawl.said:
        return f"Pawl does not say “{entry.says_why}”: {brief(pawl.said)}"
    if isinstance(entry, Packed) and entry.is_sound and re.search("damaged|cut off|again", pawl.said):
        return f"Pawl calls a sound archive damaged: {brief(pawl.said)}"
    return ""


def difference(verdict):
    """What differs from the reference without a reason, or is said to differ and does not."""
    entry, pawl, reference = verdict.entry, verdict.outcomes["pawl"], verdict.outcomes[verdict.entry.reference]
    fails_or_is_right = not pawl.is_done or pawl.files == right(entry)
    if pawl.has_same_files(reference) if reference.is_done else fails_or_is_right:
        return "`why` is no longer true: Pawl does as the reference does" if entry.why else ""
    if entry.why and reference.is_done and fails_or_is_right:
        return ""
    told = "" if pawl.is_done else f" ({brief(pawl.said)})"
    return f"{entry.reference}: {verdict.shown(entry.reference)}; pawl: {verdict.shown('pawl')}{told}"


def right(entry):
    """The files that there ought to be, as a program's outcome has them; nothing if there is no right one."""
    if isinstance(entry, Packed):
        return None if entry.instead is None else unpackers.plain(entry.instead)
    return None if entry.file is None else {entry.name: entry.file}


FAILURES = {"refused": "fails", "crashed": "crashes", "hung": "hangs"}


def file_shown(outcome, wanted):
    """A download, compared with what would be right."""
    if not outcome.is_done:
        return FAILURES[outcome.end]
    if not outcome.files:
        return "no file, no error"
    names = ", ".join(map(quoted, sorted(outcome.files)))
    if not wanted:
        return f"stores {names}"
    bytes_are_right = list(outcome.files.values()) == list(wanted.values())
    if outcome.files.keys() == wanted.keys():
        return "the file" if bytes_are_right else "other bytes"
    return f"the file as {names}" if bytes_are_right else f"other bytes as {names}"


def tree_shown(outcome, reference):
    """An unpacked archive, compared with that of the reference."""
    if not outcome.is_done:
        return FAILURES[outcome.end]
    if not reference or outcome.files == reference.files:
        return "unpacks"
    names = sorted(outcome.files.keys() ^ reference.files.keys())
    if not names:
        return "other contents"
    return "other names: " + ", ".join(quoted(name) for name in names if name in outcome.files)


def quoted(name):
    """A name for people, with the bytes that are not text in hexadecimal."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").replace("\t", "\\t")
    return "a long name" if len(text) > 60 else f"`{text}`"


def brief(said):
    return " ".join(said.replace("pawl: ", "").split())[:230]
