import PawlCore
import PawlTestKit
import Testing

extension EndToEnd {
    /// Adopting the files of real programs: killed aria2c and axel leave files with gaps, killed curl leaves a prefix.
    @Suite("Adopting files left by other programs", .serialized, .timeLimit(.minutes(5)))
    struct AdoptProgramTests {
        static let size = 16 << 20
        static let content = Files.randomBytes(size)

        private func world() async throws -> World {
            // The server limits each connection so that four of them need four seconds.
            try await World(places: [.slow(bytesPerSecond: 1 << 20)], content: Self.content)
        }

        private var place: RealServer.Place { .slow(bytesPerSecond: 1 << 20) }

        /// Kills a program once it has written the beginning and a later part of the file, but not the bytes between
        /// them.
        ///
        /// - Parameter isEnough: asked about the control file of aria2.
        private func kill(
            once isEnough: ([UInt8]) -> Bool = { _ in true }, _ program: String, _ arguments: [String], in world: World
        ) async throws {
            let other = try Subprocess(program, arguments)
            try await until("\(program) holds parts of the file") {
                try #require(other.running(), "\(program) ended: \(other.standardOutput)\(other.standardError)")
                guard let bytes = try? Files.read(world.target), bytes.count > Self.size / 2 + 4096 else {
                    return false
                }
                let later = Self.size / 2
                guard isEnough((try? Files.read(world.target + ".aria2")) ?? []) else { return false }
                return bytes[..<4096] == Self.content[..<4096]
                    && bytes[later..<later + 4096] == Self.content[later..<later + 4096]
            }
            other.kill9()
            _ = try await other.wait(timeout: .seconds(30))
        }

        /// Expects an error that mentions `word`, no request to the server, and no change in the directory.
        private func expectRefusal(
            _ world: World, mentioning word: String, at location: SourceLocation = #_sourceLocation
        ) async throws {
            let before = try Files.listing(world.directory.path)
            let output = try await Program.run(world.get(in: place, "--adopt"))
            #expect(output.ending == ExitCode.journal, "\(output.standardError)", sourceLocation: location)
            #expect(output.standardError.contains(word), "\(output.standardError)", sourceLocation: location)
            #expect(try Files.listing(world.directory.path) == before, sourceLocation: location)
            #expect(try await world.server.stopAndReadLog().allSatisfy { $0.run == nil }, sourceLocation: location)
        }

        @Test(arguments: ["none", "trunc", "prealloc", "falloc"])
        func
            `D26 the partial file of a killed aria2c is continued from the beginning that it has for certain, with each way of allocating files`(
                _ allocation: String
            ) async throws
        {
            let world = try await world()
            try await kill(
                once: { Aria2ControlFile(parsing: $0)?.prefix ?? 0 > 0 },
                "aria2c",
                [
                    "-q", "-x4", "-s4", "-k1M", "--file-allocation=\(allocation)", "--auto-save-interval=1",
                    "--no-conf", "-d", world.directory.path,
                    "-o", World.name, world.server.url(World.name, in: place),
                ], in: world)
            try #require(try Files.names(world.directory.path).contains("file.bin.aria2"))
            let output = try await Program.run(world.get(in: place, "--adopt"))
            #expect(output.standardError.contains("resumed from"), "\(output.standardError)")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.read(world.target) == Self.content)
        }

        @Test(arguments: ["none", "trunc", "falloc"])
        func `D26 the partial file of a killed aria2c is refused by its gaps when its control file is missing`(
            _ allocation: String
        ) async throws {
            let world = try await world()
            try await kill(
                "aria2c",
                [
                    "-q", "-x4", "-s4", "-k1M", "--file-allocation=\(allocation)", "--no-conf", "-d",
                    world.directory.path, "-o", World.name,
                    world.server.url(World.name, in: place),
                ], in: world)
            Files.remove(world.target + ".aria2")
            try await expectRefusal(world, mentioning: "gaps")
        }

        @Test func `D26 the partial file of a killed axel is refused`() async throws {
            let world = try await world()
            try await kill(
                "axel", ["-q", "-n4", "-o", world.target, world.server.url(World.name, in: place)], in: world)
            try await expectRefusal(world, mentioning: Files.exists(world.target + ".st") ? "axel" : "gaps")
        }

        @Test func `D26 the partial file of a killed curl is resumed`() async throws {
            let world = try await world()
            let curl = try Subprocess("curl", ["-s", "-o", world.target, world.server.url(World.name, in: place)])
            try await until("curl has some of it") {
                try #require(curl.running(), "curl ended: \(curl.standardError)")
                return try Files.exists(world.target) && Files.status(world.target).size > 1 << 20
            }
            curl.kill9()
            _ = try await curl.wait(timeout: .seconds(30))
            let held = try Files.status(world.target).size
            let output = try await Program.run(world.get(in: place, "-q", "--adopt", "--header", "X-Run: 1"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            let served = try await world.server.stopAndReadLog().filter { $0.run == "1" }.reduce(0) {
                $0 + $1.bodyBytes
            }
            #expect(served <= Int64(Self.size) - held + (1 << 20))
        }
    }
}
