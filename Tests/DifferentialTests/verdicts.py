"""Compares what Pawl came to with what the reference came to."""

import dataclasses
import re

import unpackers
from entries import Packed


@dataclasses.dataclass
class Verdict:
    """An entry, what each program came to, and what is wrong with that; nothing if `fault` is empty."""

    entry: object
    outcomes: dict
    fault: str

    @property
    def pawl(self):
        return self.outcomes["pawl"]


def judge(entry, outcomes):
    """The verdict on one entry."""
    return Verdict(entry, outcomes, fault(entry, outcomes[entry.reference], outcomes["pawl"]))


def fault(entry, reference, pawl):
    if pawl.end in ("crashed", "hung"):
        return f"Pawl {pawl.end}: {brief(pawl.said)}"
    if not pawl.is_done and not pawl.said.strip():
        return f"Pawl failed with {pawl.code} and said nothing"
    wanted, told = right(entry), getattr(entry, "says_why", "")
    if not pawl.is_done and told not in pawl.said:
        return f"Pawl does not say “{told}”: {brief(pawl.said)}"
    if not pawl.is_done and getattr(entry, "is_sound", False) and re.search("damaged|cut off|again", pawl.said):
        return f"Pawl calls a sound archive damaged: {brief(pawl.said)}"
    if reference.is_done:
        agrees = pawl.has_same_files(reference)
        allowed = not pawl.is_done or pawl.files == wanted
    else:
        agrees = not pawl.is_done or pawl.files == wanted
        allowed = False
    if agrees:
        return "`why` is no longer true: Pawl does as the reference does" if entry.why else ""
    if entry.why and allowed:
        return ""
    return f"{entry.reference}: {shown(reference, wanted)}; pawl: {shown(pawl, wanted)}" + (
        "" if pawl.is_done else f" ({brief(pawl.said)})"
    )


def right(entry):
    """The files that there ought to be, as a program's outcome has them; nothing if there is no right one."""
    if isinstance(entry, Packed):
        return None if entry.instead is None else unpackers.plain(entry.instead)
    return None if entry.file is None else {entry.name: entry.file}


def shown(outcome, wanted):
    """An outcome in some words, against what would be right."""
    if not outcome.is_done:
        return {"refused": "fails", "crashed": "crashes", "hung": "hangs"}[outcome.end]
    if outcome.files == wanted:
        return "the file"
    if not outcome.files:
        return "no file, no error"
    names = ", ".join(sorted(map(repr, outcome.files)))
    if wanted and sorted(outcome.files.values()) == sorted(wanted.values()):
        return f"the file as {names}"
    if wanted and sorted(outcome.files) == sorted(wanted):
        return "other bytes"
    return f"other bytes as {names}" if wanted else f"stores {names}"


def brief(said):
    return " ".join(said.replace("pawl: ", "").split())[:230]
