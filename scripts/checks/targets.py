"""The targets that a change can affect: those that it touches, and all that depend on them, as Package.swift says."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from checks.reading import ROOT, closure, code_only

PRODUCT = re.compile(r"\.product\((?:[^()]|\([^()]*\))*\)")
TARGET = re.compile(r'\.(target|executableTarget|testTarget|systemLibrary)\(\s*name:\s*"(\w+)"')
DEPENDENCIES = re.compile(r"\bdependencies:\s*\[([^\]]*)\]")
PATH = re.compile(r'\bpath:\s*"([^"]*)"')
EVERY_TARGET = re.compile(r"Package\.swift|Sources/CPawl/.*\.h")


class Graph:
    """The targets of a manifest, each with its folder and the targets it depends on."""

    def __init__(self, manifest):
        code = PRODUCT.sub("", code_only(manifest, keeps_strings=True))
        # A dependency of the package has a URL and no name, so the first match begins the list of targets.
        starts = list(TARGET.finditer(code))
        ends = [match.start() for match in starts[1:]] + [len(code)]
        self.folders, self.dependencies = {}, {}
        for match, end in zip(starts, ends):
            kind, name = match.groups()
            body = code[match.end():end]
            path, listed = PATH.search(body), DEPENDENCIES.search(body)
            self.folders[name] = path[1] if path else f"{'Tests' if kind == 'testTarget' else 'Sources'}/{name}"
            self.dependencies[name] = re.findall(r'"(\w+)"', listed[1]) if listed else []
        unknown = {name for names in self.dependencies.values() for name in names} - self.folders.keys()
        if unknown or len(self.folders) != len(starts):
            sys.exit(f"scripts/checks/targets.py cannot read Package.swift; unknown targets: {sorted(unknown)}")

    def target_of(self, file):
        path = pathlib.PurePosixPath(file)
        return next((name for name, folder in self.folders.items() if path.is_relative_to(folder)), None)

    def affected_by(self, files):
        """Returns the targets in the order of the manifest, and the files that belong to none."""
        homes = {file: self.target_of(file) for file in files}
        touched = set(homes.values()) - {None}
        if any(EVERY_TARGET.fullmatch(file) for file in files):
            touched = set(self.folders)
        uses = closure(self.dependencies)
        affected = [name for name in self.folders if name in touched or uses[name] & touched]
        return affected, [file for file, home in homes.items() if home is None]


def git(root, *words):
    """Returns the output, divided at zero bytes."""
    # In a hook, variables name the repository of the hook, which may not be the one at `root`.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    result = subprocess.run(["git", "-C", str(root), *words], env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr.strip())
    return result.stdout.split("\0")[:-1]


def changed_files(base, root=ROOT):
    """Returns the files that differ from the revision: committed, staged, unstaged, untracked."""
    differing = git(root, "diff", "--name-only", "--no-renames", "-z", base, "--")
    return sorted({*differing, *git(root, "ls-files", "--others", "--exclude-standard", "-z")})


def lines(base):
    targets, others = Graph((ROOT / "Package.swift").read_text(encoding="utf-8")).affected_by(changed_files(base))
    return targets + [f"file:{name}" for name in others]


MANIFEST = """
    name: "sample",
    products: [.library(name: "Middle", targets: ["Middle"])],
    dependencies: [.package(url: "https://example.org/log", from: "1.0.0")],
    targets: [
        .target(name: "CPawl"),
        // .target(name: "Gone"),
        .target(name: "Low", swiftSettings: settings),
        .systemLibrary(name: "CZip", providers: [.apt(["zip-dev"]), .brew(["zip"])]),
        .target(
            name: "Middle",
            dependencies: [
                "Low", .product(name: "Log", package: "log", condition: .when(traits: ["Service"])),
                "CZip", // packs
            ],
            exclude: ["Page"]
        ),
        .executableTarget(name: "Tool", dependencies: ["CPawl"], path: "Tests/Tool"),
        .testTarget(name: "LowTests", dependencies: ["Low"]),
        .testTarget(name: "MiddleTests", dependencies: ["Middle", .product(name: "Log", package: "log"), "Tool"]),
    ]
"""

# For changed files, the affected targets, and the files that belong to none.
AFFECTED = {
    "Sources/Low/A.swift": "Low Middle LowTests MiddleTests",
    "Sources/Middle/Page/index.html": "Middle MiddleTests",
    "Sources/CZip/module.modulemap": "CZip Middle MiddleTests",
    "Tests/LowTests/A.swift": "LowTests",
    "Tests/Tool/main.swift": "Tool MiddleTests",
    "Sources/CPawl/calls.c": "CPawl Tool MiddleTests",
    "Sources/CPawl/include/calls.h": "CPawl Low CZip Middle Tool LowTests MiddleTests",
    "Package.swift": "CPawl Low CZip Middle Tool LowTests MiddleTests file:Package.swift",
    "README.md Sources/Lower/A.swift Tests/a.py": "file:README.md file:Sources/Lower/A.swift file:Tests/a.py",
    "Sources/CZip/a.h Tests/LowTests/A.swift": "CZip Middle LowTests MiddleTests",
}


def self_test():
    graph = Graph(MANIFEST)
    for files, expected in AFFECTED.items():
        targets, others = graph.affected_by(files.split())
        yield files, expected, " ".join(targets + [f"file:{file}" for file in others])
    with tempfile.TemporaryDirectory() as directory:

        def write(text, *files):
            for file in files:
                pathlib.Path(directory, file).write_text(text, encoding="utf-8")

        commit = ["-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "-a", "-m", "a"]
        git(directory, "init", "-q")
        write("ignored\n", ".gitignore", "kept", "committed", "staged", "unstaged", "removed", "renamed")
        git(directory, "add", ".")
        git(directory, *commit)
        write("2", "committed")
        git(directory, *commit)
        write("3", "staged")
        git(directory, "rm", "-q", "removed")
        git(directory, "mv", "renamed", "moved")
        git(directory, "add", ".")
        write("4", "unstaged", "untrackèd", "ignored")
        expected = ["committed", "moved", "removed", "renamed", "staged", "unstaged", "untrackèd"]
        yield "changed files", expected, changed_files("HEAD~1", directory)
