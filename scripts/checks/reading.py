"""The Swift files of Sources/, read once for all rules."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Only tests import these targets: a trap there is a failed test.
TEST_ONLY = {"PawlTestKit"}

COMMENT_OR_STRING = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<hashes>#*)\"{3}(?:\\.|.)*?\"{3}(?P=hashes)"""
    r"""|(?P<hash>#+)".*?"(?P=hash)"""
    r"""|"(?:\\.|[^"\\\n])*\"""",
    re.DOTALL,
)


def code_only(text, keeps_strings=False):
    """Replaces each comment with a space and each string with an empty one, and leaves every line in its place."""

    def replacement(match):
        lines = "\n" * match[0].count("\n")
        if match["comment"]:
            return lines or " "
        return match[0] if keeps_strings else '""' + lines

    return COMMENT_OR_STRING.sub(replacement, text)


class Source:
    """A Swift file; its place is the path beneath Sources/."""

    def __init__(self, place, text):
        self.place = pathlib.PurePosixPath(place)
        self.target = self.place.parts[0]
        self.folder = self.place.relative_to(self.target).parent.as_posix()
        self.text = text
        self.code = code_only(text)

    def line(self, position):
        """Returns the number of the line, from 1, that holds a position of the code."""
        return self.code.count("\n", 0, position) + 1

    def at(self, position):
        return f"Sources/{self.place}:{self.line(position)}"


def read_sources():
    root = ROOT / "Sources"
    paths = sorted(root.rglob("*.swift"))
    return [Source(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def by_target(sources):
    """Returns the files of each target, by the target's name."""
    groups = {}
    for source in sources:
        groups.setdefault(source.target, []).append(source)
    return groups


def closure(edges):
    """Returns all that each node leads to, directly or through others."""
    reach = {node: set(others) for node, others in edges.items()}
    for middle in reach:
        for others in reach.values():
            if middle in others:
                others |= reach[middle]
    return reach
