import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// `pawl get` with Metalinks, mirrors and checksum lists.
    @Suite("Metalinks and checksum lists", .serialized, .timeLimit(.minutes(3)))
    struct MetalinkProgramTests {
        static let content = Files.randomBytes((2 << 20) + 17)

        private static func links() async throws -> Metalinks { try await Metalinks(content, pieceLength: 128 << 10) }

        // MARK: Metalinks

        @Test func `a wrong piece from one of three mirrors is detected and fetched elsewhere`() async throws {
            let world = try await World(content: Self.content)
            var wrong = Self.content
            for position in 300_000..<300_010 { wrong[position] ^= 0xFF }
            let liar = try await World(content: wrong)
            let third = try await World(content: Self.content)
            let meta4 = world.directory.file("file.meta4")
            // The server with the wrong piece is asked first.
            let urls = [liar, world, third].map { $0.server.url(World.name) }
            try Files.write(try await Self.links().document(urls: urls).utf8, to: meta4)
            let output = try await Program.run("get", "--metalink", meta4, "-d", world.directory.path, "--json")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(
                try Program.events(in: output.standardOutput).contains {
                    $0["event"] as? String == "completed" && $0["verified"] as? Bool == true
                })
            try world.expectOnly(Self.content, beside: ["file.meta4"])
        }

        @Test
        func
            `with --server-mirrors, the server's own Metalink reveals its wrong piece and names a mirror with the right one`()
            async throws
        {
            var wrong = Self.content
            for position in 300_000..<300_010 { wrong[position] ^= 0xFF }
            let world = try await World(places: [.described, .plain], content: wrong)
            let other = try await World(content: Self.content)
            try world.server.put(
                try await Self.links().document(urls: [other.server.url(World.name)]).utf8, at: World.name + ".meta4")
            let without = try await Program.run(world.get(in: .described, "-q"))
            #expect(without.ending == ExitCode.done, "\(without.standardError)")
            #expect(try Files.isEqual(world.target, to: wrong))
            Files.remove(world.target)

            let output = try await Program.run(world.get(in: .described, "--server-mirrors", "--json"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(
                try Program.events(in: output.standardOutput).contains {
                    $0["event"] as? String == "completed" && $0["verified"] as? Bool == true
                })
            try world.expectOnly(Self.content)
            #expect(try await world.server.stopAndReadLog().contains { $0.path == "/described/file.bin.meta4" })
            try await other.server.stop()
        }

        @Test
        func
            `a Metalink from a server may have relative URLs, file names with directories, and several files to choose from`()
            async throws
        {
            let world = try await World(content: Self.content)
            let one = try await Self.links().document(name: "isos/x/\(World.name)", urls: [World.name])
            let two = "<file name=\"notes.txt\"><url>nothing</url></file></metalink>"
            try world.server.put(one.replacingOccurrences(of: "</metalink>", with: two).utf8, at: "all.meta4")
            let url = world.server.url("all.meta4")
            let output = try await Program.run(
                "get", "--metalink", url, "-d", world.directory.path, "--select", "*.bin", "-q")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.names(world.directory.path) == ["isos"])
            #expect(try Files.isEqual(world.directory.file("isos/x/\(World.name)"), to: Self.content))
        }

        @Test func `-o renames the only file of a Metalink, and a dry run creates nothing`() async throws {
            let world = try await World(content: Self.content)
            let meta4 = world.directory.file("x.meta4")
            try Files.write(
                try await Self.links().document(name: "sub/other.bin", urls: [world.server.url(World.name)]).utf8,
                to: meta4)
            var output = try await Program.run("get", "--metalink", meta4, "-d", world.directory.path, "--dry-run")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardOutput.contains("sub/other.bin"))
            #expect(try Files.names(world.directory.path) == ["x.meta4"])
            output = try await Program.run("get", "--metalink", meta4, "-o", world.target, "-q")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content, beside: ["x.meta4"])
        }

        @Test func `a file that the checksum list lacks stops all files of the run`() async throws {
            let world = try await World(content: Self.content)
            try world.server.put(Self.content, at: "second.bin")
            try world.server.put(try await Self.links().list(World.name).utf8, at: "SUMS")
            let urls = [World.name, "second.bin"].map { world.server.url($0) }
            let output = try await Program.run(
                ["get", "-d", world.directory.path, "-q", "--checksum-file", world.server.url("SUMS")] + urls)
            #expect(output.ending == ExitCode.usage, "\(output)")
            #expect(output.standardError.contains("no checksum for \"second.bin\""))
            #expect(try Files.names(world.directory.path).isEmpty)
        }

        @Test func `a Metalink with external entities is refused, and neither files nor servers are read`() async throws
        {
            let world = try ScriptedWorld(Self.content)
            for entity in ["file:///etc/passwd", world.url] {
                let text =
                    "<?xml version=\"1.0\"?><!DOCTYPE m [<!ENTITY x SYSTEM \"\(entity)\">]><metalink version=\"4\"><file name=\"&x;\"><url>\(world.url)</url></file></metalink>"
                try Files.write(text.utf8, to: world.directory.file("x.meta4"))
                let output = try await Program.run(
                    "get", "--metalink", world.directory.file("x.meta4"), "-d", world.directory.path)
                #expect(output.ending == ExitCode.refused, "\(output)")
                #expect(output.standardError.contains("line 1") && !output.standardError.contains("root:"))
            }
            #expect(world.server.requests.isEmpty)
            #expect(world.names == ["x.meta4"])
        }

        @Test func `a Metalink's file name that leads outside, or through an existing link, is refused`() async throws {
            let world = try await World(content: Self.content)
            let outside = try TemporaryDirectory("outside")
            try FileManager.default.createSymbolicLink(
                atPath: world.directory.file("link"), withDestinationPath: outside.path)
            let meta4 = world.directory.file("x.meta4")
            for name in ["../escaped", "/tmp/escaped", "link/escaped"] {
                try Files.write(
                    try await Self.links().document(name: name, urls: [world.server.url(World.name)]).utf8, to: meta4)
                let output = try await Program.run("get", "--metalink", meta4, "-d", world.directory.path, "-q")
                #expect(output.ending == ExitCode.refused || output.ending == ExitCode.disk, "\(name): \(output)")
            }
            #expect(try Files.names(outside.path).isEmpty)
            #expect(try Files.names(world.directory.path) == ["link", "x.meta4"])
        }

        @Test func `a server's file whose length contradicts the Metalink is refused`() async throws {
            let world = try await World(content: Self.content)
            let meta4 = world.directory.file("x.meta4")
            let text = try await Self.links().document(
                urls: [world.server.url(World.name)], piecesToo: false, digestToo: false, size: 5)
            try Files.write(text.utf8, to: meta4)
            let output = try await Program.run("get", "--metalink", meta4, "-d", world.directory.path, "-q")
            #expect(output.ending != ExitCode.done)
            #expect(!Files.exists(world.target))
        }

        // MARK: Checksum lists

        @Test func `a checksum list from a disk or a server verifies the download`() async throws {
            let world = try await World(content: Self.content)
            let list = try await Self.links().list(World.name)
            try world.server.put(list.utf8, at: "SHA256SUMS")
            try Files.write(list.utf8, to: world.directory.file("SHA256SUMS"))
            for place in [world.server.url("SHA256SUMS"), world.directory.file("SHA256SUMS")] {
                let output = try await Program.run(
                    world.get("--json", "--checksum-file", place, "--if-exists", "replace"))
                #expect(output.ending == ExitCode.done, "\(output.standardError)")
                #expect(
                    try Program.events(in: output.standardOutput).last { $0["event"] as? String == "completed" }?[
                        "verified"] as? Bool == true)
                try world.expectOnly(Self.content, beside: ["SHA256SUMS"])
            }
        }

        @Test func `a file is not downloaded if its checksum list contradicts it, does not contain it, or is missing`()
            async throws
        {
            let world = try await World(content: Self.content)
            let zeros = String(repeating: "0", count: 64)
            for (name, text, ending) in [
                ("WRONG", "\(zeros)  \(World.name)\n", ExitCode.digestMismatch),
                ("OTHER", "\(zeros)  other.bin\n", ExitCode.usage), ("HTML", "<html></html>", ExitCode.usage),
            ] {
                try world.server.put(text.utf8, at: name)
                let output = try await Program.run(world.get("-q", "--checksum-file", world.server.url(name)))
                #expect(output.ending == ending, "\(name): \(output)")
                #expect(!Files.exists(world.target))
            }
            let output = try await Program.run(world.get("-q", "--checksum-file", world.server.url("missing")))
            #expect(output.ending == ExitCode.refused, "\(output)")
            #expect(!Files.exists(world.target))
        }
    }

    /// The hooks that `--on-complete` runs.
    @Suite("Hooks", .serialized, .timeLimit(.minutes(10)))
    struct HookProgramTests {
        static let content = Files.randomBytes(100_000)

        @Test func `a hook receives the facts in its environment, and inherits no descriptor of Pawl's`() async throws {
            let world = try await World(content: Self.content)
            let facts = world.directory.file("facts")
            let script = "env | grep ^PAWL_ > '\(facts)'; ls /proc/self/fd >> '\(facts)'; echo to a person"
            let output = try await Program.run(world.get("--json", "--on-complete", "sh -c \"\(script)\""))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let lines = try Files.text(facts).split(separator: "\n").map(String.init)
            #expect(
                lines.contains("PAWL_FILE=\(world.target)") && lines.contains("PAWL_STATUS=completed")
                    && lines.contains("PAWL_BYTES=100000"))
            // `ls` itself opens a fourth descriptor, for the directory that it reads.
            #expect(lines.filter { !$0.hasPrefix("PAWL_") } == ["0", "1", "2", "3"], "\(lines)")
            #expect(output.standardError.contains("to a person") && !output.standardOutput.contains("to a person"))
        }

        #if os(Linux)
        @Test
        func `P01 a hook starts with no signal blocked, and ignores only the signals that Pawl was started ignoring`()
            async throws
        {
            let world = try await World(content: Self.content)
            let facts = world.directory.file("facts")
            let hook = "sh -c \"grep -E 'Sig(Ign|Blk)' /proc/self/status > '\(facts)'\""
            let get = try [Program.path.get()] + world.get("-q", "--on-complete", hook)
            let output = try await Subprocess.run("sh", ["-c", "trap '' HUP; exec \"$0\" \"$@\""] + get)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let words = try Files.text(facts).split(whereSeparator: \.isWhitespace).map(String.init)
            try #require(words.count == 4 && words[0] == "SigBlk:" && words[2] == "SigIgn:", "\(words)")
            #expect(UInt64(words[1], radix: 16) == 0)
            // SIGHUP is the mask's lowest bit. Signals 32 and 33 belong to the C library: programs started by its
            // posix_spawn(3) ignore them.
            let ignored = try #require(UInt64(words[3], radix: 16))
            #expect(ignored & ~(0b11 << 31) == 1)
        }
        #endif

        @Test func `P03 the environment and the working directory reach the hook byte for byte`() async throws {
            let world = try await World(content: Self.content)
            let facts = world.directory.file("facts")
            // The script removes the directory, because the test's cleanup cannot find a name that is not UTF-8.
            let line = #"""
                NAME=$(printf 'caf\351') && export NAME && mkdir "$1/$NAME" && cd "$1/$NAME" || exit 99
                "$0" get -q "$2" -o f --on-complete "sh -c 'printf %s \"\$NAME\" | od -An -tx1 >$3; wc -c <\"\$PAWL_FILE\" >>$3'"
                status=$?; rm -rf "$1/$NAME"; exit $status
                """#
            let words = try ["-c", line, Program.path.get(), world.directory.path, world.server.url(World.name), facts]
            let output = try await Subprocess.run("sh", words)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(
                try Files.text(facts).split(whereSeparator: \.isWhitespace) == [
                    "63", "61", "66", "e9", "\(Self.content.count)",
                ])
        }

        @Test func `the hook is told of a failed download, and a failed hook makes the exit code 13`() async throws {
            let world = try await World(content: Self.content)
            let facts = world.directory.file("facts")
            var output = try await Program.run(
                "get", world.server.url("missing"), "-d", world.directory.path, "-q", "--on-complete",
                "sh -c \"env > '\(facts)'; exit 3\"")
            #expect(output.ending == ExitCode.refused, "\(output)")
            #expect(try Files.text(facts).contains("PAWL_STATUS=failed\n"))
            #expect(try Files.text(facts).contains("PAWL_CODE=notFound\n"))
            output = try await Program.run(world.get("-q", "--on-complete", "sh -c 'exit 3'"))
            #expect(output.ending == .exited(13), "\(output)")
            #expect(output.standardError.contains("ended with status 3"))
            try world.expectOnly(Self.content, beside: ["facts"])
        }

        @Test func `a hook program that does not exist is an error before any fetch`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Program.run(world.get("--on-complete", "no-such-program-anywhere"))
            #expect(output.ending == ExitCode.usage, "\(output)")
            #expect(try Files.names(world.directory.path).isEmpty)
            #expect(try await world.server.stopAndReadLog().isEmpty)
        }
    }
}
