"""Text from outside is compared and taken apart by bytes or scalars, not by characters. Needs a build.

Swift's `String` compares by canonical equivalence and counts extended grapheme clusters: a letter may join the dot
behind it, and two spellings of `é` are one. Servers, file systems and protocols count bytes. Use `utf8`,
`unicodeScalars`, `ExactText`, `begins(with:)`, `ends(with:)` and `isExactly(_:)`.

The compiler does the search, because it knows the types: each module is type-checked together with a file of extensions
that deprecate the operations below on `String` and `Substring`, on dictionaries with `String` keys and on sets of
strings. Where an operation is right, text.allowed names the line and the reason; an entry there that matches nothing is
an error too.

Comparing with a literal is let through: no text but the literal itself equals it, except where it contains K, ; or `
(U+212A, U+037E and U+1FEF are equivalent to those).
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from checks.reading import ROOT, TEST_ONLY, Source, by_target

ALLOWED = pathlib.Path(__file__).with_name("text.allowed")

# Each row has an example, which the self-test compiles with `b: String` and `c: Substring`, and the operation in it.
OPERATIONS = """
    a.hasPrefix(b)               | func hasPrefix(_ other: String) -> Bool { false }
    a.hasPrefix(c)               | func hasPrefix(_ other: some StringProtocol) -> Bool { false }
    a.hasSuffix(b)               | func hasSuffix(_ other: String) -> Bool { false }
    a.hasSuffix(c)               | func hasSuffix(_ other: some StringProtocol) -> Bool { false }
    a.dropFirst()                | func dropFirst(_ count: Int = 1) -> Substring { self[...] }
    a.dropLast(5)                | func dropLast(_ count: Int = 1) -> Substring { self[...] }
    a.prefix(4)                  | func prefix(_ count: Int) -> Substring { self[...] }
    a.suffix(4)                  | func suffix(_ count: Int) -> Substring { self[...] }
    a.prefix { $0 != ";" }       | func prefix(while a: (Character) throws -> Bool) rethrows -> Substring { self[...] }
    a.drop { $0 == " " }         | func drop(while a: (Character) throws -> Bool) rethrows -> Substring { self[...] }
    a.count                      | var count: Int { 0 }
    a.first                      | var first: Character? { nil }
    a.last                       | var last: Character? { nil }
    a.firstIndex(of: ":")        | func firstIndex(of character: Character) -> Index? { nil }
    a.firstIndex { $0 == ":" }   | func firstIndex(where a: (Character) throws -> Bool) rethrows -> Index? { nil }
    a.lastIndex(of: "/")         | func lastIndex(of character: Character) -> Index? { nil }
    a.lastIndex { $0 == ":" }    | func lastIndex(where a: (Character) throws -> Bool) rethrows -> Index? { nil }
    a.contains("=" as Character) | func contains(_ character: Character) -> Bool { false }
    a.popLast()                  | mutating func popLast() -> Character? { nil }
    a.removeFirst()              | mutating func removeFirst() -> Character { fatalError() }
    a.removeLast()               | mutating func removeLast() -> Character { fatalError() }
    a.split(separator: ",")      | func split(separator: Character, MAXIMA) -> [Substring] { [] }
    a.split { $0 == "," }        | func split(MAXIMA, whereSeparator: (Character) throws -> Bool) rethrows -> [Substring] { [] }
    a == Self(b)                 | static func == (left: Self, right: Self) -> Bool { false }
    a != Self(b)                 | static func != (left: Self, right: Self) -> Bool { false }
""".replace("MAXIMA", "maxSplits: Int = .max, omittingEmptySubsequences: Bool = true")

SHADOWS = {
    "String": OPERATIONS,
    "Substring": OPERATIONS,
    "Dictionary where Key == String": """
    a[b]                         | subscript(key: Key) -> Value? { get { nil } set {} }
    a[b, default: 0] += 1        | subscript(key: Key, default a: @autoclosure () -> Value) -> Value { get { a() } set {} }
    a.updateValue(1, forKey: b)  | mutating func updateValue(_ value: Value, forKey key: Key) -> Value? { nil }
    a.removeValue(forKey: b)     | mutating func removeValue(forKey key: Key) -> Value? { nil }
    """,
    "Set<String>": """
    a.contains(b)                | func contains(_ member: Element) -> Bool { false }
    a.insert(b)                  | mutating func insert(_ a: Element) -> (inserted: Bool, memberAfterInsert: Element) { (true, a) }
    """,
    "Array<String>": """
    a.contains(b)                | func contains(_ member: Element) -> Bool { false }
    a.firstIndex(of: b)          | func firstIndex(of member: Element) -> Int? { nil }
    """,
}
# Extended type, example, operation.
ROWS = [
    (subject, *map(str.strip, row.split("|"))) for subject, rows in SHADOWS.items() for row in rows.strip().splitlines()
]

FOUND = re.compile(
    r"^(?P<file>/[^:\n]+\.swift):(?P<line>\d+):(?P<column>\d+): warning: .*\bTEXT (?P<name>.+?)(?: \[#\w+\])?$",
    re.MULTILINE,
)

# Arguments of a build that write files, and what a check does without.
WITH_VALUE = {"-o", "-output-file-map", "-emit-module-path", "-index-store-path", "-emit-objc-header-path"}
ALONE = {
    "-emit-module", "-emit-dependencies", "-incremental", "-c", "-parseable-output", "-emit-objc-header",
    "-serialize-diagnostics", "-enable-batch-mode", "-no-emit-module-separately", "-explicit-module-build",
    "-warnings-as-errors",
}


def shadows():
    """Returns the extensions as a source file."""
    lines = []
    for subject, _, code in ROWS:
        name = re.search(r"subscript|(?<=func )[\w=!]+|(?<=var )\w+", code)[0]
        code = code.replace("mutating", "@discardableResult mutating")
        mark = f'@available(*, deprecated, message: "TEXT {name} of {subject}")'
        lines.append(f"extension {subject} {{ {mark} {code} }}\n")
    return "".join(lines)


@functools.cache
def build_plan():
    """Returns the lines of SwiftPM's last plan, read once: SwiftPM writes it anew even where it builds nothing."""
    plan = ROOT / ".build/debug.yaml"
    return plan.read_text(encoding="utf-8").splitlines() if plan.exists() else []


def compiler_arguments(module):
    """Returns the arguments that the last build compiled the module with, without those that write files."""
    lines = build_plan()
    # Linking a program names a module too: that of the product.
    compiles = (line for line in lines if "swiftc" in line and "-emit-executable" not in line)
    line = next((line for line in compiles if f'"-module-name","{module}"' in line), None)
    if line is None:
        sys.exit(f"The check of text needs a build of {module}: swift build --build-tests")
    kept, words = [], iter(json.loads(line.split("args:", 1)[1].strip()))
    for word in words:
        is_list = word.startswith("@") and word.endswith("sources")
        is_source = is_list or word.endswith(".swift") and "/.build/" not in word
        if word in WITH_VALUE:
            next(words, None)
        elif word not in ALONE and not is_source and not re.fullmatch(r"-j\d+", word):
            kept.append(word)
    return kept


def type_check(arguments, sources, root=ROOT / "Sources"):
    """Returns the compiler's findings: file, line, column, operation."""
    files = {str(root / source.place): source for source in sources}
    with tempfile.TemporaryDirectory() as directory:
        extensions = pathlib.Path(directory, "TextShadows.swift")
        extensions.write_text(shadows(), encoding="utf-8")
        words = [*arguments, *files, str(extensions), "-typecheck", "-diagnostic-style", "llvm"]
        result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    output = result.stdout + result.stderr
    if result.returncode != 0:
        print("\n".join(line for line in output.splitlines() if "error:" in line)[:4000])
        sys.exit("The sources do not type-check.")
    found = sorted({(file, int(line), int(column), name) for file, line, column, name in FOUND.findall(output)})
    return [(files[file], line, column, name) for file, line, column, name in found]


def is_literal_comparison(line, column):
    """Tells whether one side of the operator is a literal without the letters that others are equivalent to."""
    before, after = line[:column - 1], line[column + 1:]
    right = re.match(r'\s*"((?:[^"\\]|\\[nrt0])*)"', after)
    left = re.search(r'"((?:[^"\\]|\\[nrt0])*)"\s*$', before)
    return any(side is not None and not re.search(r"[K;`]", side[1]) for side in (right, left))


class Allowances:
    """Lines of code that are right, each with its reason.

    A reason is a line that begins with #. Below it stand lines of a path, two spaces, and a regular expression that is
    found in the line of code. An empty line ends the group.
    """

    def __init__(self, text):
        self.entries, self.mistakes, reason = [], [], None
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split(None, 1)
            if not words:
                reason = None
            elif line.startswith("#"):
                reason = line.lstrip("# ") or reason
            elif reason is None or len(words) != 2:
                self.mistakes.append(f"{ALLOWED.name}:{number}: no reason above it, or no expression: {line}")
            else:
                self.entries.append((number, words[0], re.compile(words[1])))
        self.used = set()

    def has(self, place, line):
        found = [number for number, path, pattern in self.entries if path == str(place) and pattern.search(line)]
        self.used.update(found)
        return bool(found)

    def unused(self):
        for number, path, pattern in self.entries:
            if number not in self.used:
                yield f"{ALLOWED.name}:{number}: no line needs this any more: {path} {pattern.pattern}"


def violations(found, allowances):
    for source, number, column, name in found:
        line = source.text.split("\n")[number - 1]
        # The compiler counts bytes.
        if name.startswith(("==", "!=")) and is_literal_comparison(line, len(line.encode()[:column - 1].decode()) + 1):
            continue
        if not allowances.has(source.place, line):
            yield f"Sources/{source.place}:{number}: {name} works by characters, not by bytes: {line.strip()}"


def check(sources):
    allowances = Allowances(ALLOWED.read_text(encoding="utf-8"))
    found = list(allowances.mistakes)
    targets = by_target(source for source in sources if source.target not in TEST_ONLY)
    # The largest module comes first, so that none is left for the end.
    modules = sorted(targets, key=lambda module: -len(targets[module]))
    arguments = {module: compiler_arguments(module) for module in modules}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for result in threads.map(lambda module: type_check(arguments[module], targets[module]), modules):
            found += violations(result, allowances)
    found += allowances.unused()
    return found, f"{sum(map(len, targets.values()))} files take text from outside by bytes"


# Further examples: the type of `a`, the code, and whether it is to be found.
EXAMPLES = [
    ("String", 'a == "K"', True),
    ("String", "a.utf8.count", False),
    ("String", "a.utf8.first == 0x2F", False),
    ("String", 'a == "close" || "x" != a', False),
    ("String", "a.isEmpty", False),
    ("[UInt8]", "a.dropFirst().count + a.split(separator: 0).count", False),
    ("[Int: String]", "a.count", False),
    ("String", "a.count // digits that Swift wrote", False),
]


def self_test():
    """Compiles the examples as one module, each in a file and a type of its own."""
    types = {"Dictionary where Key == String": "[String: Int]"}
    rows = [(types.get(subject, subject), code.replace("Self", subject), True) for subject, code, _ in ROWS]
    sources = {}
    for number, (subject, code, fails) in enumerate(rows + EXAMPLES):
        function = f"static func f(_ a: inout {subject}, _ b: String, _ c: Substring) {{\n_ = {code}\n}}"
        sources[Source(f"Sample{number}.swift", f"enum Sample{number} {{\n{function}\n}}\n")] = fails
    allowances = Allowances(f"# A number that Swift wrote.\nSample{len(sources) - 1}.swift  digits that\n")
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory).resolve()
        for source in sources:
            (root / source.place).write_text(source.text, encoding="utf-8")
        found = type_check(["swiftc", "-swift-version", "6", "-module-name", "Samples"], sources, root)
    noticed = {line.split(":")[0] for line in violations(found, allowances)}
    for source, fails in sources.items():
        yield source.text, fails, f"Sources/{source.place}" in noticed
    yield "unused allowances of the examples", [], list(allowances.unused())
    yield "an allowance that nothing needs", 1, len(list(Allowances("# Why\nA.swift  count\n").unused()))
    yield "no reason, no expression", 2, len(Allowances("A.swift  count\n\n# Why\nB.swift\n").mistakes)
