"""Types of the core have at most 16 stored properties, apart from those that are listed with their number.

A struct, class or actor with more holds several things at once. Static and computed properties are not stored; one with
observers, or with a closure as its first value, is.
"""

import re

from checks.reading import Source, code_only

LIMIT = 16

# The types above the limit. A type that has more than its number is an error, and so is one that has fewer, so that the
# list only shrinks.
KNOWN = {
    "DownloadOptions": 30,
    "JournalRecord": 19,
    "QueueEntry": 21,
}

TOKEN = re.compile(
    r"(?P<brace>[{}])"
    r"|(?<![\w.])(?P<kind>struct|class|actor|enum|extension|protocol)[ \t]+(?!func\b|var\b|let\b)(?P<name>\w[\w.]*)"
    r"|(?<![\w.`])(?P<property>let|var)\b"
)

# The kinds of types that have stored properties.
HOLDERS = {"struct", "class", "actor"}

OBSERVERS = re.compile(r"\{\s*(didSet|willSet)\b")
FURTHER_NAME = re.compile(r"\s*\w+\s*[:=]")


def count_stored(code, start, line_start):
    """Returns how many stored properties the declaration has whose `let` or `var` ends at `start`."""
    if re.search(r"\b(static|class)\b", code[line_start:start]):
        return 0
    tuple_pattern = re.match(r"\s*\(([^()]*)\)", code[start:])
    names = tuple_pattern.group(1).count(",") + 1 if tuple_pattern else 1
    depth, has_value = 0, False
    for position in range(start, len(code)):
        character = code[position]
        if character == "{" and depth == 0 and not has_value:
            return names if OBSERVERS.match(code, position) else 0
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth < 0:
                return names
        elif depth > 0:
            continue
        elif character == "=" and code[position + 1] != "=":
            has_value = True
        elif character == "," and FURTHER_NAME.match(code, position + 1):
            names += 1
        elif character in "\n;" and not code[start:position].rstrip().endswith((":", "=", ",")):
            return names
    return names


def properties(code):
    """Returns the number of stored properties of each type that can have some."""
    found, scopes, header = {}, [], None
    for match in TOKEN.finditer(code):
        if match["kind"]:
            header = (match["kind"], match["name"])
        elif match["brace"] == "{":
            scopes.append(header)
            if header and header[0] in HOLDERS:
                found.setdefault(path_of(scopes), 0)
            header = None
        elif match["brace"]:
            if scopes:
                scopes.pop()
        elif scopes and scopes[-1] and scopes[-1][0] in HOLDERS and header is None:
            line_start = code.rfind("\n", 0, match.start()) + 1
            found[path_of(scopes)] += count_stored(code, match.end(), line_start)
    return found


def path_of(scopes):
    return ".".join(scope[1] for scope in scopes if scope)


def check(sources, known=KNOWN):
    counts = {}
    for source in sources:
        if source.target == "PawlCore":
            for name, count in properties(source.code).items():
                counts[name] = max(count, counts.get(name, 0))
    found = []
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        subject, allowed = f"{name} has {count} stored properties", known.get(name)
        if allowed is None and count > LIMIT:
            found.append(f"{subject}; at most {LIMIT} are allowed")
        elif allowed is not None and count <= LIMIT:
            found.append(f"{subject}, which is within the limit: remove it from KNOWN in properties.py")
        elif allowed is not None and count != allowed:
            found.append(f"{subject}; KNOWN in properties.py says {allowed}")
    found += [f"KNOWN in properties.py lists {name}, which does not exist" for name in known if name not in counts]
    listed = ", ".join(f"{name} {count}" for name, count in known.items())
    return found, f"{len(counts)} types have at most {LIMIT} stored properties, apart from {listed}"


def with_properties(count):
    return "struct Bag {\n" + "".join(f"    var property{number} = {number}\n" for number in range(count)) + "}\n"


# For each title, code and the number of stored properties of the type T.
COUNTED = {
    "lets and vars": ("struct T { let a: Int\n private(set) var b = 2\n weak var c: A?\n}", 3),
    "an actor and a class": ("final actor T {\n let a: Int\n}\nclass U { let a: Int\n let b: Int }", 1),
    "computed": ("struct T {\n var a: Int { 1 }\n var b: [Int] {\n let c = 2\n return [c]\n }\n}", 0),
    "static": ("struct T {\n static let a = 1\n private static var b: Int { 2 }\n}", 0),
    "observers": ("struct T {\n var a = 1 { didSet { b() } }\n var c: Int {\n willSet { let d = 1 }\n }\n}", 2),
    "closures": ("struct T {\n var a: (Int) -> Void = { _ in let b = 1 }\n let c = [1].map { let d = $0 }\n}", 2),
    "lazy": ("class T {\n lazy var a = make { let b = 1 }\n}", 1),
    "several names": ("struct T {\n var a = 1, b = 2\n let c, d: Int\n var (e, f) = (1, 2)\n}", 6),
    "a tuple and a dictionary": ("struct T {\n var a: (at: Int, b: Int)\n var c: [Int: Set<Int>] = [:]\n}", 2),
    "more than a line": ("struct T {\n var a:\n  Int\n var b =\n  [1, 2]\n}", 2),
    "functions": ("struct T {\n func a() { let b = 1; var c = 2 }\n init() { let d = 1 }\n}", 0),
    "a subscript": ("struct T {\n subscript(e: Int) -> Int { let f = e; return f }\n}", 0),
    "nested types": ("struct T { struct U { let a: Int }\n enum V { struct W { let c: Int } }\n let d: Int\n}", 1),
    "comments and strings": ('struct T {\n // var a = 1\n /// let b\n let c = "var d = {"\n}', 1),
    "a parameter and a condition": ("struct T {\n func a(_ b: Int) { if let c = b { while let d = c {} } }\n}", 0),
    "a protocol": ("protocol P { var a: Int { get } }\nstruct T {}", 0),
    "attributes": ("struct T {\n @Wrapped var a: Int\n nonisolated let b: Int\n}", 2),
    "a generic type": ("struct T<Element: Hashable> where Element: Sendable {\n let a: Element\n}", 1),
}

# For each title, code, known types, and whether that is an error.
JUDGED = {
    "as many as allowed": (with_properties(LIMIT), {}, False),
    "one more": (with_properties(LIMIT + 1), {}, True),
    "one more, known": (with_properties(LIMIT + 1), {"Bag": LIMIT + 1}, False),
    "more than known": (with_properties(LIMIT + 2), {"Bag": LIMIT + 1}, True),
    "fewer than known": (with_properties(LIMIT + 1), {"Bag": LIMIT + 2}, True),
    "within the limit, and known": (with_properties(LIMIT), {"Bag": LIMIT}, True),
    "known, and gone": (with_properties(1), {"Box": 20}, True),
    "in an extension": ("extension Outer {\n" + with_properties(LIMIT + 1) + "}\n", {"Bag": LIMIT + 1}, True),
}


def self_test():
    for title, (code, count) in COUNTED.items():
        yield title, count, properties(code_only(code)).get("T")
    for title, (code, known, fails) in JUDGED.items():
        yield title, fails, bool(check([Source("PawlCore/A.swift", code)], known)[0])
