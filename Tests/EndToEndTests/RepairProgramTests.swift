import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// `pawl verify` with lists and Metalinks, and `--repair`.
    @Suite("Verify and repair", .serialized, .timeLimit(.minutes(3)))
    struct RepairProgramTests {
        static let content = Files.randomBytes((2 << 20) + 17)
        static let pieceLength = 128 << 10

        private static func damaged(_ positions: Int...) -> [UInt8] {
            var bytes = content
            for position in positions { bytes[position] ^= 1 }
            return bytes
        }

        /// A server with the correct file, and a Metalink that describes it.
        private static func world(
            _ places: [RealServer.Place] = [.plain], document: (Metalinks, World) -> String
        ) async throws -> (World, String) {
            let world = try await World(places: places, content: content)
            let meta4 = world.directory.file("file.meta4")
            try Files.write(document(try await Metalinks(content, pieceLength: pieceLength), world).utf8, to: meta4)
            return (world, meta4)
        }

        // MARK: Verify

        @Test func `verify checks a file piece by piece and changes nothing`() async throws {
            let (world, meta4) = try await Self.world { links, world in
                links.document(urls: [world.server.url(World.name)])
            }
            try Files.write(Self.content, to: world.target)
            var output = try await Program.run("verify", "--metalink", meta4, world.target)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardError.contains("OK (17 pieces, sha-256)"))

            try Files.write(Self.damaged(3, 500_000), to: world.target)
            output = try await Program.run("verify", "--metalink", meta4, world.target)
            #expect(output.ending == ExitCode.digestMismatch)
            #expect(output.standardError.contains("2 of 17 pieces are wrong"), "\(output.standardError)")
            #expect(try Files.read(world.target) == Self.damaged(3, 500_000))
            #expect(try await world.server.stopAndReadLog().isEmpty)
        }

        @Test func `verify checks files against a list`() async throws {
            let directory = try TemporaryDirectory("verify")
            try Files.write([1, 2, 3], to: directory.file("a"))
            try Files.write([4], to: directory.file("b c"))
            let sums = try await Subprocess.run("sha256sum", [directory.file("a"), directory.file("b c")])
                .standardOutput
            let tagged = try await Subprocess.run("sha512sum", ["--tag", directory.file("a"), directory.file("b c")])
                .standardOutput
            for (name, text) in [("SHA256SUMS", sums), ("CHECKSUM", tagged)] {
                try Files.write(text.utf8, to: directory.file(name))
                let output = try await Program.run(
                    "verify", "--checksum-file", directory.file(name), directory.file("a"), directory.file("b c"))
                #expect(output.ending == ExitCode.done, "\(output.standardError)")
                #expect(output.standardError.split(separator: "\n").count == 2)
            }
            try Files.write([5], to: directory.file("b c"))
            let output = try await Program.run(
                "verify", "--checksum-file", directory.file("SHA256SUMS"), "--json", directory.file("b c"),
                directory.file("a"))
            #expect(output.ending == ExitCode.digestMismatch)
            #expect(try Program.events(in: output.standardOutput).map { $0["matches"] as? Bool } == [false, true])
        }

        // MARK: Repair

        @Test(arguments: [true, false])
        func `repairing one wrong piece fetches one piece`(_ digestToo: Bool) async throws {
            let (world, meta4) = try await Self.world { links, world in
                links.document(urls: [world.server.url(World.name)], digestToo: digestToo)
            }
            try Files.write(Self.damaged(700_000), to: world.target)
            let output = try await Program.run("verify", "--repair", "--metalink", meta4, world.target)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardError.contains("repaired, 128 KiB fetched"), "\(output.standardError)")
            try world.expectOnly(Self.content, beside: ["file.meta4"])
            let fetched = try await world.server.stopAndReadLog().reduce(0) { $0 + $1.bodyBytes }
            #expect(
                (Int64(Self.pieceLength)...Int64(Self.pieceLength + (64 << 10))).contains(fetched), "\(fetched) bytes")
        }

        @Test func `a truncated file is repaired from a URL given on the command line`() async throws {
            let (world, meta4) = try await Self.world { links, _ in links.document(urls: ["http://127.0.0.1:9/nothing"])
            }
            try Files.write(Self.content.prefix(1_500_000), to: world.target)
            let output = try await Program.run(
                "verify", "--repair", "--metalink", meta4, world.target, world.server.url(World.name), "--json")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Program.events(in: output.standardOutput).last?["repaired"] as? Bool == true)
            try world.expectOnly(Self.content, beside: ["file.meta4"])
        }

        @Test func `repairing a correct file changes and fetches nothing`() async throws {
            let (world, meta4) = try await Self.world { links, world in
                links.document(urls: [world.server.url(World.name)])
            }
            try Files.write(Self.content, to: world.target)
            let inode = try Files.status(world.target).inode
            let output = try await Program.run("verify", "--repair", "--metalink", meta4, world.target)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardError.contains("nothing to repair"))
            #expect(try Files.status(world.target).inode == inode)
            #expect(try await world.server.stopAndReadLog().isEmpty)
        }

        @Test func `without piece hashes, repair explains what to do instead`() async throws {
            let (world, meta4) = try await Self.world { links, world in
                links.document(urls: [world.server.url(World.name)], piecesToo: false)
            }
            try Files.write(Self.damaged(3), to: world.target)
            var output = try await Program.run("verify", "--repair", "--metalink", meta4, world.target)
            #expect(output.ending == ExitCode.usage)
            #expect(
                output.standardError.contains("no piece hashes")
                    && output.standardError.contains("pawl get --if-exists replace"))
            output = try await Program.run(
                "verify", "--repair", "--checksum", "md5:5eb63bbbe01eeed093cb22bb8f5acdc3", world.target,
                world.server.url(World.name))
            #expect(output.ending == ExitCode.usage)
            #expect(output.standardError.contains("needs a Metalink with piece hashes"))
            #expect(try Files.read(world.target) == Self.damaged(3))
        }

        @Test func `a repair killed at any time leaves the old file or the new one, and the next run completes it`()
            async throws
        {
            let (world, meta4) = try await Self.world([.slow(bytesPerSecond: 1 << 20)]) { links, world in
                links.document(urls: [world.server.url(World.name, in: .slow(bytesPerSecond: 1 << 20))])
            }
            let old = Self.damaged(3, 300_000, 700_000, 1_500_000)
            for milliseconds in stride(from: 20, through: 420, by: 80) {
                try Files.write(old, to: world.target)
                let repair = try Program.start("verify", "--repair", "--metalink", meta4, world.target)
                try await Task.sleep(for: .milliseconds(milliseconds))
                repair.kill9()
                _ = try await repair.wait(timeout: .seconds(10))
                let left = try Files.read(world.target)
                #expect(left == old || left == Self.content, "after \(milliseconds) ms the file is neither")
            }
            let output = try await Program.run("verify", "--repair", "--metalink", meta4, world.target)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content, beside: ["file.meta4"])
        }
    }
}
