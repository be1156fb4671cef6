"""Code that can trap carries a comment that proves it never does.

Nothing that comes from outside may end the program. The proof is a comment that begins with "Proven:", on the line that
may trap or just above. A search cannot see what a value from outside does to arithmetic and subscripts:
LargestNumbersTests and scripts/fuzz look after those.
"""

import re

from checks.reading import TEST_ONLY, Source

TRAPS = {
    "try!": r"\btry!",
    "as!": r"\bas!",
    "fatalError": r"\bfatalError\b",
    "precondition": r"\bprecondition(?:Failure)?\b",
    "assert": r"\bassert(?:ionFailure)?\s*\(",
    "unowned(unsafe)": r"\bunowned\(unsafe\)",
    "an unsafe cast": r"\bunsafe(?:BitCast|Downcast)\b",
    "unsafelyUnwrapped": r"\bunsafelyUnwrapped\b",
    # A value and then "!" that neither compares nor negates; also an implicitly unwrapped type.
    "a forced unwrap": r"[\w\)\]\}>?]!(?![=\w])",
}
TRAP = re.compile("|".join(f"({pattern})" for pattern in TRAPS.values()))

# Converting a floating-point number to an integer traps if the number is not finite or does not fit.
INTEGER = re.compile(r"\bU?Int(?:8|16|32|64)?\(")
CHECKED = re.compile(r"\s*(?:exactly|saturating|clamping|truncatingIfNeeded|bitPattern|littleEndian|bigEndian|ascii):")
FLOATING = re.compile(
    r"\bDouble\(|\bFloat\(|\.rounded\(|\binSeconds\b|\bfraction\b|\b\d+\.\d|\b\d+e\d|/ \.(?:seconds|milliseconds)"
)


def argument(code, start):
    """Returns the text between the parenthesis before `start` and the one that closes it."""
    depth, position = 1, start
    while position < len(code) and depth:
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        position += 1
    return code[start:position - 1]


def traps(code):
    for match in TRAP.finditer(code):
        yield match.start(), list(TRAPS)[match.lastindex - 1]
    for match in INTEGER.finditer(code):
        inside = argument(code, match.end())
        if FLOATING.search(inside) and not CHECKED.match(inside):
            yield match.start(), "an unchecked conversion of a floating-point number to an integer"


def is_proven(lines, number):
    """Tells whether the line, or the comment that ends on the line above it, has the proof; `number` counts from 0."""
    start = number
    while start > 0 and lines[start - 1].lstrip().startswith("//"):
        start -= 1
    above = any(re.match(r"\s*//\s*Proven\b.*:", line) for line in lines[start:number])
    return above or re.search(r"//\s*Proven\b", lines[number])


def check(sources):
    found, files = [], [source for source in sources if source.target not in TEST_ONLY]
    for source in files:
        lines = source.text.split("\n")
        for position, name in sorted(traps(source.code)):
            number = source.line(position) - 1
            if not is_proven(lines, number):
                place = source.at(position)
                found.append(f"{place}: {name}, without a proof that it cannot trap: {lines[number].strip()}")
    return found, f"{len(files)} files have no trap without a proof"


MUST_FAIL = [
    "let a = try! b()", "let a = b as! C", "let a = names.first!", "let a = names[0]!.count", "let a = b()! + 1",
    "let a: String! = nil", 'fatalError("no")', "precondition(a > 0)", "preconditionFailure()", "assert(a > 0)",
    "unowned(unsafe) let a: B", "let a = b.unsafelyUnwrapped", "// a remark\nlet b = unsafeBitCast(c, to: D.self)",
    "let a = Int(b.rounded())", "let a = Int64(Double(b) / 2)", "let a = UInt8(fraction * 255)",
    "// Proven: something else.\nlet a = 1\nlet b = c!", "// Not Proven: at all\nlet b = c!",
]

MUST_PASS = [
    "// Proven: b was made a line above.\nlet a = b!",
    "let a = b!  // Proven: b was made a line above.",
    "// Proven, here and below: a long\n// story.\nlet a = b!",
    "if a != b, !c { return !d }\nlet e = f(!g)",
    '// try! this\nlet a = "b!" + "as! c"',
    "let a = Int(exactly: b.rounded()) ?? 0\nlet c = Int64(d.count)",
    "eventLoop.assertInEventLoop()\nlet a = try? b()",
    "let a = b as? C\nlet d = (e || !f) && !g",
]


def self_test():
    for examples, fails in ((MUST_FAIL, True), (MUST_PASS, False)):
        for text in examples:
            yield text, fails, bool(check([Source("PawlCore/A.swift", text + "\n")])[0])
    yield "a trap that only tests can meet", [], check([Source("PawlTestKit/A.swift", "try! a()")])[0]
