"""Modules import only what the allow-list names, and the core has no clock, randomness or tasks.

A module that is not on the list is an error, and so is a source target that is not on it.
"""

import re

from checks.reading import Source, by_target

# Calls of the C library that take or give paths or variables and have no form in PawlSystem/SystemPaths.swift, where
# a text that keeps bytes would be handed over as UTF-8.
PATH_CALLS = (
    "chdir chown creat dlopen fopen getcwd getenv lchown mkfifo opendir readlink realpath renameatx_np statfs statvfs"
    " symlink utimensat"
)
# The C functions of CPawl, too, but for those of libraries that are loaded on demand, each with an adapter of its own, for the one that
# PawlJobs calls with pointers to bytes, and for the arithmetic of CPawlHash.
C_CALLS = r"pawl_(?!digest_|host_to_ascii\b|spawn\b|xxh3_mix\b)\w+"
# Other ways to hand over a text as UTF-8: to C, and to libraries that take paths.
UTF8_PATHS = (
    r"\.(?:withCString|utf8CString|withUnsafeFileSystemRepresentation)\b"
    r"|\bsockaddr_un\(\)|\bfrom(?:PEM|DER)File\(|\bNIOSSL\w+\(file:|\bunixDomainSocketPath:"
)

LOWER = "PawlCore PawlEngine PawlSystem"

# For each target the modules that it may import, and for a folder or a file those that only it may import in addition.
ALLOWED = {
    "PawlCore": "",
    "PawlCore/Journal/XXHash3.swift": "CPawlHash",
    "PawlEngine": "PawlCore Synchronization",
    # Chooses the C library, and re-exports it to the modules that may make system calls. Of the core it needs
    # Text/SystemText.swift.
    "PawlSystem": "CPawl PawlCore Synchronization Glibc Musl Darwin",
    "Pawl": f"{LOWER} Synchronization NIOCore NIOPosix",
    "Pawl/Digests": "CPawl CryptoKit",
    "Pawl/Requests/HTTPURL+HostLetters.swift": "CPawl",
    # NIO ends an event loop through a queue.
    "Pawl/Runtime/EventLoops.swift": "Dispatch",
    "Pawl/Transport": "NIOSSL NIOTLS",
    # The engine reports to an observer; only this folder and the configuration know loggers and metrics.
    "Pawl/Observing": "Logging CoreMetrics",
    "Pawl/Downloader/Downloader+Observing.swift": "Logging CoreMetrics",
    # Only this module links Foundation.
    "PawlFoundation": "PawlCore Pawl Foundation FoundationEssentials",
    # Only this module reads XML; it links Expat.
    "PawlXML": "CExpat",
    "PawlMetalink": "PawlCore PawlSystem Pawl PawlXML",
    # Only this folder knows downloads; the code that unpacks does not.
    "PawlArchive": f"{LOWER} Synchronization CArchive",
    "PawlArchive/Remote": "Pawl",
    # Only declarations: what an option does is for those who have it.
    "PawlOptions": "PawlCore",
    "PawlJobs": f"CPawl {LOWER} Pawl PawlMetalink PawlArchive PawlOptions Synchronization",
    "PawlStore": "PawlCore PawlEngine PawlXML Synchronization",
    # Only this folder links zlib.
    "PawlWork": f"{LOWER} Pawl PawlJobs PawlStore Synchronization",
    "PawlWork/Gzip": "CZlib",
    "PawlAria2": f"{LOWER} Pawl PawlJobs PawlOptions Synchronization",
    # Only this module reads TOML.
    "PawlConfiguration": f"{LOWER} Pawl PawlOptions TOMLKit",
    "PawlClient": f"{LOWER} Pawl PawlJobs Synchronization",
    "PawlClient/HTTP": "NIOCore NIOPosix NIOHTTP1",
    "PawlServer": f"{LOWER} Pawl PawlArchive PawlJobs PawlAria2 Synchronization",
    # Only this folder knows a database.
    "PawlServer/Store": "GRDB GRDBSQLite FoundationEssentials",
    "PawlServer/Serving": "Hummingbird HummingbirdCore HummingbirdTLS NIOSSL HTTPTypes NIOCore NIOPosix NIOHTTP1"
    " NIOHTTPTypes NIOHTTPTypesHTTP1 NIOWebSocket ServiceLifecycle Logging CPawlPage",
    "PawlServer/Metrics": "CoreMetrics",
    "PawlServer/HTTP/HTTPAnswer.swift": "Hummingbird",
    "PawlServer/API/API+Events.swift": "Hummingbird NIOCore",
    "PawlServer/API/API+File.swift": "Hummingbird NIOCore NIOPosix",
    "PawlServer/API/DownloadJSON.swift": "FoundationEssentials",
    "PawlServer/Access": "FoundationEssentials",
    "pawld": f"{LOWER} Pawl PawlOptions PawlJobs PawlAria2 PawlServer PawlConfiguration"
    " Synchronization Logging UnixSignals",
    "PawlCLI": f"{LOWER} Pawl PawlMetalink PawlArchive PawlOptions PawlJobs PawlAria2 PawlClient PawlConfiguration"
    " PawlStore PawlWork"
    " Synchronization Logging",
    "PawlTestKit": f"{LOWER} PawlStore Synchronization",
    "PawlTestKit/Server": "NIOCore NIOEmbedded NIOSSL",
}

# Clock, randomness and concurrency are arguments of the core. Its code is the same on every platform, so it does not
# ask where it is compiled either.
FORBIDDEN_IN_CORE = {
    r"\bTask\b": "a Task",
    r"\bSystemRandomNumberGenerator\b|\.random\(|\.shuffled?\(\)|\.randomElement\(\)": "randomness",
    r"\b(Continuous|Suspending)Clock\b": "a clock",
    r"\bcanImport\b": "a conditional import",
}

IMPORT = re.compile(
    r"(?:^|;)[ \t]*(?P<attributes>(?:@\w+(?:\([^)\n]*\))?\s+)*)"
    r"(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(?P<module>\w+)",
    re.MULTILINE,
)
CLOSURE_IN_LOCK = r"\b(?:Locked|Mutex)<\(+@|\b(?:Locked|Mutex)<\([^<>]*\)\s*(?:async\s*)?(?:throws\s*)?->"


def check(sources):
    found = [finding for source in sources for finding in findings(source)]
    return found, f"{len(sources)} files of {len(by_target(sources))} targets import only what they may"


def findings(source):
    target, code = source.target, source.code
    if target not in ALLOWED:
        yield f"Sources/{source.place}: the target {target} has no entry in scripts/checks/imports.py"
        return
    allowed = " ".join(modules for place, modules in ALLOWED.items() if source.place.is_relative_to(place)).split()
    for match in IMPORT.finditer(code):
        module, place = match["module"], source.at(match.start("module"))
        if module not in allowed:
            homes = [folder for folder, modules in ALLOWED.items() if "/" in folder and module in modules.split()]
            yield f"{place}: {target} may not import {module}" + (f" outside {homes[0]}" if homes else "")
        if "@testable" in match["attributes"]:
            yield f"{place}: {match['attributes'].strip()} in a source target"

    for pattern, message in unwanted_in(source):
        for match in re.finditer(pattern, code):
            yield f"{source.at(match.start())}: {message}: {match[0]}"


def unwanted_in(source):
    """Returns a pattern and a message for each kind of code that the file may not contain."""
    if source.target == "PawlCore":
        yield from ((pattern, f"PawlCore may not use {name}") for pattern, name in FORBIDDEN_IN_CORE.items())
    if source.target not in ("PawlSystem", "PawlTestKit"):
        yield r"\bCommandLine\b", "use Environment.arguments, which keeps bytes and needs no /proc"
        yield rf"(?<!func )(?<![.\w])(?:{'|'.join(PATH_CALLS.split())}|{C_CALLS})\(", "use what PawlSystem has for it"
        yield UTF8_PATHS, "keep the bytes of the path (PawlSystem, PEMFiles, SocketBinding)"
    if source.target in ("PawlJobs", "PawlAria2", "PawlClient", "PawlCLI"):
        yield r"\bTask\.(?:sleep|yield)\b", "use Pause.sleep, which starts no thread of the runtime's pool"
    # The thread sanitizer reports false races at a contended Mutex; see Locked.swift. The command is not run under it.
    if source.target != "PawlCLI" and source.place.name != "Locked.swift":
        yield r"\bMutex\b", "use Locked instead"
    # Each access to a closure that is itself the generic argument wraps it once more, and each call takes longer than
    # the one before.
    yield CLOSURE_IN_LOCK, "put the closure that the lock protects into a struct"


# For a folder, some of the imports that are forbidden there.
MUST_NOT_IMPORT = {
    "PawlCore": "Foundation Logging PawlSystem",
    "PawlEngine": "Glibc PawlSystem Logging CoreMetrics",
    "PawlSystem": "PawlEngine Foundation",
    "Pawl": "Glibc NIOHTTP1 PawlTestKit CExpat PawlMetalink Foundation PawlFoundation CArchive PawlArchive",
    "Pawl/Storage": "CPawl",
    "Pawl/Transport": "NIOHTTP1",
    "Pawl/TransportExtras": "NIOSSL",
    "PawlFoundation": "PawlSystem FoundationNetworking PawlEngine",
    "PawlMetalink": "Musl FoundationXML FoundationEssentials PawlEngine",
    "PawlArchive": "Pawl",
    "PawlJobs": "ArgumentParser Glibc",
    "PawlClient": "NIOHTTP1 PawlServer",
    "PawlClient/HTTP": "Hummingbird",
    "PawlCLI": "ArgumentParser NIOCore CExpat PawlFoundation CArchive",
    "PawlTestKit": "Foundation NIOSSL",
    "pawld": "ArgumentParser",
}

MUST_FAIL = [
    *((place, f"import {module}") for place, modules in MUST_NOT_IMPORT.items() for module in modules.split()),
    ("PawlCore", "#if os(Linux)\n    import Glibc\n#endif"),
    ("PawlCore", "let a = 1; import Synchronization"),
    ("PawlCore", "let work = Task { }"),
    ("PawlCore", "let n = Int.random(in: 0..<9)"),
    ("PawlCore", "let a = b.shuffled()"),
    ("PawlCore", "var generator = SystemRandomNumberGenerator()"),
    ("PawlCore", "let now = ContinuousClock().now"),
    ("PawlCore", "#if canImport(Darwin)\n#endif"),
    ("PawlEngine", "internal import AsyncHTTPClient"),
    ("PawlEngine", "@preconcurrency package import Pawl"),
    ("PawlEngine", "public import struct Foundation.URL"),
    ("Pawl", "public import CoreMetrics"),
    ("Pawl/Storage", "private import FoundationEssentials"),
    ("PawlArchive", "#if canImport(Darwin)\nimport Darwin\n#endif"),
    ("PawlJobs", "import Synchronization\nlet known = Mutex(0)"),
    ("PawlServer", "let observer = Locked<(@Sendable () -> Void)?>(nil)"),
    ("PawlCLI", "@testable import Pawl"),
    ("PawlCLI", "let words = CommandLine.arguments"),
    ("PawlJobs", "try await Task.sleep(for: .seconds(1))"),
    ("Pawl", "let path = realpath(name, nil)"),
    ("PawlArchive", "let code = renameatx_np(from, name, to, newName, 0)"),
    ("PawlArchive", "let code = pawl_rename_exchange(from, name, to, newName)"),
    ("PawlJobs", "let file = path.withCString { open($0, O_RDONLY) }"),
    ("PawlServer", "var address = sockaddr_un()"),
    ("PawlServer/Serving", "let chain = try NIOSSLCertificate.fromPEMFile(path)"),
    ("PawlServer/Serving", "let key = try NIOSSLPrivateKey(file: path, format: .pem)"),
    ("PawlClient/HTTP", "let address = try SocketAddress(unixDomainSocketPath: path)"),
    ("Newcomer", "let a = 1"),
]

MUST_PASS = [
    ("PawlCore", '// import Foundation\n/* import Glibc */ let text = "import Foundation; Task"\nstruct TaskList {}'),
    ("PawlCore", 'let a = #"import "Foundation""#\nlet b = """\n  import Glibc\n  """'),
    ("PawlEngine", "package import PawlCore\nimport Synchronization\nlet task = Task {}"),
    ("Pawl/Transport", "internal import NIOSSL\ninternal import PawlSystem"),
    ("PawlSystem", "import CPawl\n#if canImport(Glibc)\n@_exported public import Glibc\n#endif"),
    ("PawlTestKit/Server", "#if canImport(NIOSSL)\ninternal import NIOSSL\n#endif"),
    ("PawlFoundation", "#if canImport(A)\n    import FoundationEssentials\n#else\n    import Foundation\n#endif"),
    ("PawlMetalink", "internal import PawlXML\nimport PawlSystem\npublic import Pawl"),
    ("PawlXML", "internal import CExpat"),
    ("PawlArchive/Remote", "public import Pawl"),
    ("PawlJobs", "public import Pawl\nimport PawlCore"),
    ("PawlCLI", "import PawlOptions\npublic import Pawl"),
    ("PawlJobs/Hooks", "pawl_spawn(&child, path, words, environment, 0)"),
    ("Pawl/Digests", "let context = pawl_digest_begin(kind)"),
    ("PawlClient", "guard let address = sockaddr_un(path: path) else { return }"),
]


def self_test():
    for examples, fails in ((MUST_FAIL, True), (MUST_PASS, False)):
        for place, text in examples:
            yield f"{place}: {text}", fails, bool(check([Source(f"{place}/A.swift", text + "\n")])[0])
