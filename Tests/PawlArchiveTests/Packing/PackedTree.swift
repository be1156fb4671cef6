import PawlTestKit

@testable import PawlArchive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A directory with every kind of file that can be packed.
struct PackedTree {
    let directory: TemporaryDirectory
    var root: String { directory.file("tree") }

    /// A whole and even number of seconds, because MS-DOS times have steps of two.
    static let modified: Int64 = 1_234_567_890

    static let contents: [String: [UInt8]] = [
        "a-b": Array("beside a/".utf8),
        "a/empty": [],
        "a/run.sh": Array("#!/bin/sh\n".utf8),
        "a/zeros": [UInt8](repeating: 0, count: 700_000),
        "Grüße/ü–日本.txt": Array("UTF-8\n".utf8),
        "noise": Files.randomBytes(600_001),
    ]

    init() throws {
        directory = try TemporaryDirectory("packing")
        try Files.makeDirectory(root)
        for name in ["a", "a/none", "Grüße"] { try Files.makeDirectory("\(root)/\(name)") }
        for (name, bytes) in Self.contents { try Files.write(bytes, to: "\(root)/\(name)") }
        try Files.setMode("\(root)/a/run.sh", 0o4711)
        try Files.makeSymbolicLink("\(root)/a/link", to: "run.sh")
        for name in try Files.listing(root).keys.sorted().reversed() + [""] {
            Self.setModified("\(root)/\(name)", Self.modified)
        }
    }

    /// The paths in the archive's order, directories with a trailing slash.
    static let order = [
        "tree/", "tree/Grüße/", "tree/Grüße/ü–日本.txt", "tree/a-b", "tree/a/", "tree/a/empty", "tree/a/link",
        "tree/a/none/",
        "tree/a/run.sh", "tree/a/zeros", "tree/noise",
    ]

    static func setModified(_ path: String, _ seconds: Int64) {
        let times = [timespec(tv_sec: time_t(seconds), tv_nsec: 0), timespec(tv_sec: time_t(seconds), tv_nsec: 0)]
        utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
    }
}
