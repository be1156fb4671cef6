import PawlCore
import PawlTestKit
import Testing

extension EndToEnd {
    /// The built program downloads parts of a file, and streams, from servers that treat ranges differently.
    @Suite("Parts and streams", .serialized, .timeLimit(.minutes(5)))
    struct PartTests {
        static let size = (3 << 20) + 7
        static let content = Files.randomBytes(size)

        @Test(
            arguments: World.Origin.all,
            [
                ("0-499", [0..<500]), ("500-999", [500..<1000]), ("3000000-", [3_000_000..<size]),
                ("-500", [size - 500..<size]),
                ("500-599,800-899", [500..<600, 800..<900]), ("2000000-2999999, 0-9", [2_000_000..<3_000_000, 0..<10]),
                ("bytes=0-9,5-14", [0..<10, 5..<15]),
            ] as [(String, [Range<Int>])])
        func `each form of --range downloads the bytes that it names`(
            _ origin: World.Origin, _ form: (text: String, ranges: [Range<Int>])
        ) async throws {
            let world = try await World(origin, content: Self.content)
            let expected = form.ranges.flatMap { Self.content[$0] }
            let output = try await Program.run(world.get("-q", "--range", form.text))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(expected)
            try await world.server.stop()
        }

        /// Close parts that servers like to merge, more parts than fit into one request, a part at the end: in every
        /// case a few requests suffice.
        @Test(
            arguments: World.Origin.all,
            [
                ("0-99,1000-1099,2000000-2000999", 1), ("100-199,210-219,230-239,1000-1099", 1),
                ("1000-1099,0-99,50-149", 1),
                ((0..<10).map { "\($0 * 9000)-\($0 * 9000 + 7999)" }.joined(separator: ","), 1),
                ((0..<30).map { "\($0 * 90000)-\($0 * 90000 + 99)" }.joined(separator: ","), 3), ("0-9,20-29,-10", 2),
            ])
        func `one request covers up to ten small parts`(
            _ origin: World.Origin, _ form: (text: String, requests: Int)
        ) async throws {
            let world = try await World(origin, content: Self.content)
            let expected = try RangeSelection(parsing: form.text).resolved(total: Int64(Self.size)).pieces
                .flatMap { Self.content[Int($0.start)..<Int($0.end)] }
            let output = try await Program.run(world.get("-q", "--range", form.text))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(expected)
            let log = try await world.server.stopAndReadLog()
            #expect(log.count <= form.requests && log.allSatisfy { $0.status == 206 }, "\(log)")
        }

        @Test func `--sparse keeps each part at its offset in the file`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Program.run(world.get("-q", "--sparse", "--range", "1000000-1000099"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly([UInt8](repeating: 0, count: 1_000_000) + Self.content[1_000_000..<1_000_100])
            try await world.server.stop()
        }

        @Test(arguments: World.Origin.all)
        func `a range beyond the end of the file is an error that names the file's length`(
            _ origin: World.Origin
        ) async throws {
            let world = try await World(origin, content: Self.content)
            let output = try await Program.run(world.get("-q", "--range", "9000000-"))
            #expect(output.ending == ExitCode.usage)
            #expect(output.standardError.contains("\(Self.size) bytes"), "\(output.standardError)")
            try await world.server.stop()
        }

        @Test func `a download of parts resumes after a kill, and a request for other parts does not resume it`()
            async throws
        {
            let world = try await World(content: Self.content)
            let command = world.get("-q", "-x", "1", "--range", "1000-2500999")
            let held = try await world.interrupt(command + ["--max-speed", "100k"]) { $0.kill9() }
            #expect(held > 0)
            #expect(try await Program.run(world.get("-q")).ending == ExitCode.journal)
            let output = try await Program.run(command)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Array(Self.content[1000..<2_501_000]))
            try await world.server.stop()
        }

        @Test(arguments: World.Origin.all)
        func `-o - writes the file to stdout in order and leaves no other file`(_ origin: World.Origin) async throws {
            let world = try await World(origin, content: Self.content)
            let script =
                "cd '\(world.directory.path)' && '\(try Program.path.get())' get -q -o - '\(world.server.url(World.name))' "
            let trust = world.trust.map { "'\($0)'" }.joined(separator: " ")
            let output = try await Subprocess("/bin/sh", ["-c", script + trust + " > out.bin; echo $? >&2"]).output(
                timeout: .seconds(60))
            #expect(output.standardError == "0\n")
            #expect(try Files.isEqual(world.directory.file("out.bin"), to: Self.content))
            #expect(try Files.names(world.directory.path) == ["out.bin"])
            try await world.server.stop()
        }

        @Test func `a reader that closes the pipe early ends the program without a message`() async throws {
            let world = try await World(content: Self.content)
            let script =
                "'\(try Program.path.get())' get -o - '\(world.server.url(World.name))' 2> err.txt; echo $? >&2"
            let output = try await Subprocess(
                "/bin/sh", ["-c", "cd '\(world.directory.path)'; { \(script); } | head -c 100 | wc -c"]
            )
            .output(timeout: .seconds(60))
            #expect(output.standardError == "141\n")
            #expect(output.standardOutput.contains("100"))
            #expect(try Files.names(world.directory.path) == ["err.txt"])
            try await world.server.stop()
        }

        @Test func `a stream whose digest does not match ends with the digest's exit code`() async throws {
            let world = try await World(content: Self.content)
            let wrong = "sha-256:" + String(repeating: "0", count: 64)
            let output = try await Program.run(
                "get", "-q", "-o", "-", world.server.url(World.name), "--range", "0-9", "--checksum", wrong)
            #expect(output.ending == ExitCode.digestMismatch, "\(output.standardError)")
            try await world.server.stop()
        }
    }
}
