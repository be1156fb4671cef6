import PawlTestKit
import Testing

extension EndToEnd {
    /// How nginx, lighttpd and Apache httpd really behave, over HTTP and HTTPS, and that Pawl downloads the right bytes
    /// from each.
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct RealServerTests {
        static let size = (5 << 20) + 3
        static let content = Files.randomBytes(size)
        /// Bytes that a response may carry beyond the missing ones: the overlap for comparison with an adopted file.
        static let overlap: Int64 = 64 << 10

        // MARK: New downloads

        @Test(arguments: World.Origin.all)
        func `a file is downloaded byte for byte`(_ origin: World.Origin) async throws {
            let world = try await World(origin, content: Self.content)
            let output = try await Program.run(world.get())
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            try await world.server.stop()
        }

        @Test(arguments: World.Origin.all, [0, 1])
        func `files of zero bytes and one byte are downloaded`(_ origin: World.Origin, size: Int) async throws {
            let content = Files.randomBytes(size)
            let world = try await World(origin, content: content)
            let output = try await Program.run(world.get("-q"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(content)
            try await world.server.stop()
        }

        // MARK: Resumed

        @Test(arguments: World.Origin.unencrypted, [0, 1, size / 2, size - 1, size])
        func `J08 with --adopt the partial file of another tool is resumed`(
            _ origin: World.Origin, length: Int
        ) async throws {
            let world = try await World(origin, content: Self.content)
            try Files.write(Self.content.prefix(length), to: world.partial)
            let output = try await Program.run(world.get("-q", "-x", "1", "--adopt"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            if origin.kind != .lighttpd {
                let served = try await world.server.stopAndReadLog().reduce(0) { $0 + $1.bodyBytes }
                let rest = Int64(Self.size - length)
                #expect(served <= rest + 2 * Self.overlap, "\(served) bytes for the last \(rest)")
            }
        }

        enum Interruption: String, CaseIterable { case kill, signal }

        @Test(arguments: World.Origin.unencrypted, Interruption.allCases)
        func `J01 J11 an interrupted or killed download resumes and completes with the right bytes`(
            _ origin: World.Origin, by interruption: Interruption
        ) async throws {
            let world = try await World(origin, content: Self.content)
            let command = world.get("-x", "1", "--json")
            let held = try await world.interrupt(command + ["--max-speed", "100k"]) {
                interruption == .kill ? $0.kill9() : $0.interrupt()
            }

            let output = try await Program.run(command)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            let resumed = try Program.events(in: output.standardOutput).first { $0["event"] as? String == "resumed" }
            #expect((resumed?["offset"] as? Int64) == held)
            if origin.kind != .lighttpd {
                let rest = Int64(Self.size) - held
                let requests = try await world.server.stopAndReadLog()
                let last = try #require(requests.last)
                #expect(last.status == 206)
                #expect(last.bodyBytes <= rest + Self.overlap, "\(last.bodyBytes) bytes for the last \(rest)")
            }
        }

        // MARK: Changed

        static let replacement = Files.randomBytes(size)

        @Test(arguments: World.Origin.unencrypted)
        func `V01 a file replaced while the server restarts midway is downloaded anew`(
            _ origin: World.Origin
        ) async throws {
            let world = try await World(origin, places: [.slow], content: Self.content)
            let download = try Program.start(world.get(in: .slow, "-q", "-x", "2"))
            try await until("bytes are stored") { world.hasStoredBytes }
            try world.server.put(Self.replacement, at: World.name, modified: 1_600_000_000)
            try await world.server.stop()
            try #require(download.running(), "it ended before: \(download.standardError)")
            try await world.server.start()
            let output = try await download.output()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expect(Self.replacement)
            try await world.server.stop()
        }

        // MARK: Compression

        @Test(arguments: World.Origin.unencrypted.filter { $0.kind != .lighttpd })
        func `R25 an interrupted file from a server that compresses ends complete`(_ origin: World.Origin) async throws
        {
            let text = [UInt8](String(repeating: "compress me, if you can\n", count: 200_000).utf8)
            let world = try await World(origin, places: [.compressed], content: text)
            let command = world.get(in: .compressed, "-q", "-x", "1")
            _ = try await world.interrupt(command + ["--max-speed", "100k"])
            let output = try await Program.run(command)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(text)
            try await world.server.stop()
        }
    }
}
