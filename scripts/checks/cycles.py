"""Folders of a target do not use each other in a circle.

A folder is every directory beneath Sources/TARGET that holds Swift files itself; the target's own files are the folder
".". Folder A refers to folder B when code in A names a top-level type that B declares; `extension T { … }` names T.
Names that more than one folder declares are left out, because text alone cannot tell which one is meant.
"""

import re

from checks.reading import Source, by_target, closure

# Matches at the left margin, where formatted code has only top-level declarations, or after attributes there.
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)\n]*\))?[ \t]+)*"
    r"(?:(?:public|package|internal|final|indirect|nonisolated|distributed|open)[ \t]+)*"
    r"(?:struct|class|enum|actor|protocol|typealias)[ \t]+(?P<name>\w+)",
    re.MULTILINE,
)

# Names after a dot are members: `.Thing`, `Outer.Thing`.
IDENTIFIER = re.compile(r"(?<![\w.])[A-Z_]\w*")


def references(files):
    """Returns, for each folder, the folders that it refers to, each with an example."""
    places = {}
    for source in files:
        for match in DECLARATION.finditer(source.code):
            places.setdefault(match["name"], set()).add(source.folder)
    owners = {name: next(iter(folders)) for name, folders in places.items() if len(folders) == 1}

    edges = {source.folder: {} for source in files}
    for source in files:
        known = edges[source.folder]
        for match in IDENTIFIER.finditer(source.code):
            folder = owners.get(match[0], source.folder)
            if folder != source.folder and folder not in known:
                known[folder] = f"{source.at(match.start())} names {match[0]}"
    return edges


def cycles_in(edges):
    """Returns the strongly connected components of more than one folder."""
    reach = closure(edges)
    components = {frozenset(other for other in reach[folder] if folder in reach[other]) for folder in edges}
    return sorted(sorted(component) for component in components if len(component) > 1)


def check(sources):
    found, targets, folders = [], by_target(sources), 0
    for target, files in targets.items():
        edges = references(files)
        folders += len(edges)
        for cycle in cycles_in(edges):
            steps = sorted((origin, folder) for origin in cycle for folder in edges[origin] if folder in cycle)
            examples = [f"\n  {origin} → {folder}: {edges[origin][folder]}" for origin, folder in steps]
            found.append(f"Sources/{target}: folders in a cycle: {', '.join(cycle)}{''.join(examples)}")
    return found, f"{folders} folders in {len(targets)} targets, none in a cycle"


LEFT = {"T/A/A.swift": "struct Left { var right: Right? }"}
CHAIN = {**LEFT, "T/B/B.swift": "package final class Right {}"}
THREE = {"T/A/A.swift": "protocol A: B {}", "T/B/B.swift": "protocol B: C {}", "T/C/C.swift": "class C: A {}"}

# For each title, files and whether they have a cycle.
EXAMPLES = {
    "two folders": ({**LEFT, "T/B/B.swift": "final class Right { func a(_ b: Left) {} }"}, True),
    "a chain": (CHAIN, False),
    "a cycle of three": (THREE, True),
    "the target's own files": ({"T/A.swift": "actor A { let b = B() }", "T/B/B.swift": "struct B { let a: A }"}, True),
    "an extension": ({**CHAIN, "T/B/C.swift": "extension Left {}"}, True),
    "an enum and an alias": ({**CHAIN, "T/B/C.swift": "enum C { case a(D) }", "T/A/D.swift": "typealias D = A"}, True),
    "comments and strings": ({**CHAIN, "T/B/C.swift": '// Left\n/* Left */ let a = "Left"'}, False),
    "a member of the same name": ({**CHAIN, "T/B/C.swift": "let a = Other.Left()"}, False),
    "a nested type of the same name": ({**CHAIN, "T/C/C.swift": "enum Other {\n    struct Left {}\n}"}, False),
    "two targets": ({**LEFT, "U/B/B.swift": "struct Right { var left: Left? }"}, False),
}


def self_test():
    for title, (files, fails) in EXAMPLES.items():
        yield title, fails, bool(check([Source(place, text) for place, text in files.items()])[0])
