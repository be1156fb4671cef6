import PawlTestKit
import Testing

@testable import PawlArchive

/// A directory with every kind of member that a tar can hold, and the archives that Debian's tools make of it.
struct TarTree {
    let directory: TemporaryDirectory
    var root: String { directory.file("tree") }

    static let long = String(repeating: "long-name-", count: 20) + "/" + String(repeating: "n", count: 200)
    static let noise = Files.randomBytes(700_001)
    static let modified: Int64 = 1_234_567_890

    init() throws {
        directory = try TemporaryDirectory("tar")
        try Files.makeDirectory(root)
        for name in ["a", "a/none", "Grüße", String(Self.long.prefix { $0 != "/" })] {
            try Files.makeDirectory("\(root)/\(name)")
        }
        try Files.write([], to: "\(root)/a/empty")
        try Files.write(Self.noise, to: "\(root)/noise")
        try Files.write(Array("#!/bin/sh\n".utf8), to: "\(root)/a/run")
        try Files.setMode("\(root)/a/run", 0o4755)
        try Files.write(Array("UTF-8\n".utf8), to: "\(root)/Grüße/日本.txt")
        try Files.write(Array("long\n".utf8), to: "\(root)/\(Self.long)")
        try Files.makeSymbolicLink("\(root)/a/link", to: "../noise")
        for name in ["a/run", "a/empty", "noise", "Grüße/日本.txt", "a"] {
            try Files.setModified("\(root)/\(name)", secondsSinceEpoch: Self.modified)
        }
    }

    /// - Parameter script: Commands for a shell in the tree's directory. `$OUT` is the archive's path.
    func archive(_ name: String, _ script: String) async throws -> String {
        let path = directory.file(name)
        let output = try await Subprocess.run(
            "sh", ["-ec", "cd \"$WHERE\"; \(script)"],
            environment: ["WHERE": directory.path, "OUT": path, "LC_ALL": "C.UTF-8"])
        #expect(output.ending == .exited(0), "\(output.standardError)")
        return path
    }

    func expectCopy(_ copy: String, hasHardLink: Bool = false) throws {
        var expected = try Files.listing(root)
        if hasHardLink { expected["a/same"] = expected["noise"] }
        let found = try Files.listing(copy)
        #expect(found.keys.sorted() == expected.keys.sorted())
        for (name, status) in found {
            guard let original = expected[name] else { continue }
            #expect(status.mode == original.mode & ~0o7000, "\(name)")
            if status.isRegular {
                #expect(try Files.isEqual("\(copy)/\(name)", to: Files.read("\(root)/\(name)")), "\(name)")
            }
            if original.modifiedSeconds == Self.modified { #expect(status.modifiedSeconds == Self.modified, "\(name)") }
        }
    }
}
