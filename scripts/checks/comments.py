"""A documentation comment begins with a verb or with a noun of its own, so that it names its subject.

A comment that begins with a word such as "What" or "Of" leaves its noun to the name beside it, and is a riddle without.
"Returns the files that failed." and "The path of the file; nil until it is named." can be read alone.
"""

import re

from checks.reading import COMMENT_OR_STRING, ROOT, Source

WORDS = {"Of", "What", "It", "They", "Nil", "Those", "Others", "Who", "Whoever", "So", "As many"}
FIRST_WORD = re.compile(r"///[\s*_“\"(]*(As many|\w+)")
# The other folders, beside Sources/, whose comments are checked.
FURTHER = ("Tests", "Fuzz")


def comments(text):
    """Yields the position and the first line of each documentation comment."""
    end = None
    for match in COMMENT_OR_STRING.finditer(text):
        if (match["comment"] or "").startswith("///"):
            if end is None or text[end:match.start()].strip(" \t") != "\n":
                yield match.start(), match[0]
            end = match.end()


def check(sources, folders=FURTHER):
    files = [(f"Sources/{source.place}", source.text) for source in sources]
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.swift")):
        files.append((path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")))
    found, count = [], 0
    for place, text in files:
        for position, line in comments(text):
            count += 1
            word = FIRST_WORD.match(line)
            if word and word[1] in WORDS:
                number = text.count("\n", 0, position) + 1
                found.append(f"{place}:{number}: begins with “{word[1]}”, not with a verb or a noun: {line}")
    return found, f"{count} documentation comments begin with a verb or a noun of their own"


MUST_FAIL = [
    "/// What a server says.\nlet a = 1", "struct A {\n    /// Of the file, in bytes.\n    let b: Int\n}",
    "/// Nil: not yet.\nvar a: Int?", "/// “It” waits.\ncase a", "///They wait.\ncase a",
    "/// It's open.\nvar a = true", "/// As many as fit.\nlet a = 1", "/// So many at once.\nlet a = 1",
    "let a = 1  /// Those that wait.",
    "/// The first.\nlet a = 1\n/// Others.\nlet b = 2", "/// The first.\n\n/// Who asks.\nlet b = 2",
    "// What a remark is.\n/// Whoever asks.\nlet a = 1",
]

MUST_PASS = [
    "/// Returns the bytes of a file.\nfunc a() {}", "/// The path; nil until it is known.\nvar a: String?",
    "/// The first line, and then\n/// what follows it.\nlet a = 1",
    "/// The first.\n///\n/// It is a paragraph.\nlet a = 1",
    "// What a plain comment says is free.\nlet a = 1", 'let a = """\n    /// What a string holds.\n    """',
    "/// Offers of a server.\nlet a = 1", "/// As the server sent it.\nlet a = 1",
    "/// - Returns: what was asked for.\nfunc a() {}",
]


def self_test():
    for examples, fails in ((MUST_FAIL, True), (MUST_PASS, False)):
        for text in examples:
            yield text, fails, bool(check([Source("PawlCore/A.swift", text + "\n")], ())[0])
    lines = check([Source("PawlCore/A.swift", "let a = 1\n\n/// Of b.\nlet c = 2\n")], ())[0]
    yield "file, line and word", True, lines[0].startswith("Sources/PawlCore/A.swift:3: begins with “Of”")
