"""Examples in documentation comments compile. Needs a build.

Each block of ```swift in a comment of Sources/ is the body of a function of its own, beside the imports of Pawl and of
the module in which it stands: it declares every name that it uses. Its imports and extensions stand before the function.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from checks.reading import ROOT, Source
from checks.text import compiler_arguments

FENCE = re.compile(r"^[ \t]*/// ```swift\n(?P<body>(?:[ \t]*///.*\n)*?)[ \t]*/// ```$", re.MULTILINE)
MARK = re.compile(r"^[ \t]*/// ?", re.MULTILINE)
OUTSIDE = re.compile(r"^(?:(?:import|@testable import) .*|extension .*(?:\{\}|\{\n(?:.*\n)*?\}))\n", re.MULTILINE)
ERROR = re.compile(r"^(?P<place>[^:\n]+\.swift:\d+):\d+: error: (?P<message>.*)$", re.MULTILINE)

# A user imports no other module of these packages.
INNER = {"PawlCore", "PawlEngine"}
# Who uses the module has this one too.
BESIDE = {"PawlFoundation": ["Foundation"]}
# The module that depends on all of the library.
OUTERMOST = "PawlCLI"


def blank(text):
    """Replaces a text with as many empty lines, so that the lines behind it keep their numbers."""
    return "\n" * text.count("\n")


def examples(sources):
    """Yields each example as a Swift file, whose lines name the places of the comment."""
    for source in sources:
        for match in FENCE.finditer(source.text):
            first = source.text.count("\n", 0, match.start("body")) + 1
            body = MARK.sub("", match["body"])
            place = f'#sourceLocation(file: "Sources/{source.place}", line: {first})\n'
            modules = sorted({"Pawl", source.target, *BESIDE.get(source.target, [])} - INNER)
            outside = "".join(found[0] for found in OUTSIDE.finditer(body))
            inside = OUTSIDE.sub(lambda found: blank(found[0]), body)
            yield (
                "".join(f"import {module}\n" for module in modules)
                + place + outside
                + "private func example() async throws {\n"
                + place + inside + "#sourceLocation()\n}\n"
            )


def type_check(texts):
    """Returns the compiler's errors."""
    with tempfile.TemporaryDirectory() as directory:
        files = []
        for number, text in enumerate(texts):
            files.append(pathlib.Path(directory, f"Example{number}.swift"))
            files[-1].write_text(text, encoding="utf-8")
        words, arguments = [], iter(compiler_arguments(OUTERMOST))
        for word in arguments:
            # The user has another package and module, with the features that Swift has by itself.
            if word in ("-package-name", "-enable-upcoming-feature"):
                next(arguments)
            elif word == "-module-name":
                words += [word, "Examples"]
                next(arguments)
            else:
                words.append(word)
        words += [*map(str, files), "-typecheck", "-continue-building-after-errors", "-suppress-warnings", "-diagnostic-style", "llvm"]
        result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    output = result.stdout + result.stderr
    found = [f"{place}: {message}" for place, message in dict.fromkeys(ERROR.findall(output))]
    if result.returncode != 0 and not found:
        sys.exit(f"The examples cannot be compiled.\n{output[:4000]}")
    return found


def check(sources):
    texts = list(examples(sources))
    return type_check(texts), f"{len(texts)} examples in documentation comments compile"


EXAMPLES = {
    "Pawl/Good.swift": ("let downloader = try Downloader()\n/// await downloader.shutdown()", None),
    "PawlFoundation/Good.swift": ("let url: URL? = nil\n/// print(url as Any)", None),
    "Pawl/Foundation.swift": ("import Foundation\n///\n/// let url: URL? = nil\n/// print(url as Any)", None),
    "PawlMetalink/Foundation.swift": ("let url: URL? = nil\n/// print(url as Any)", 3),
    "PawlCore/Good.swift": ("extension DownloadRequest {\n///     var a: Int { 1 }\n/// }\n/// print(DownloadRequest(\"\").a)", None),
    "Pawl/Undeclared.swift": ("let a = 1\n/// print(a, b)", 4),
    "Pawl/Inner.swift": ("import Pawl\n/// print(HTTPURL.lengthLimit)", 4),
    "Pawl/Types.swift": ("let a: Int = \"\"", 3),
}


def self_test():
    sources = [
        Source(place, f"/// An example:\n/// ```swift\n/// {body}\n/// ```\nlet a = 1\n") for place, (body, _) in EXAMPLES.items()
    ]
    found = {line.rsplit(": ", 1)[0].split(": ")[0] for line in type_check(list(examples(sources)))}
    for place, (body, line) in EXAMPLES.items():
        places = sorted(name for name in found if name.startswith(f"Sources/{place}:"))
        yield f"{place}:\n{body}", [f"Sources/{place}:{line}"] if line else [], places
