import Foundation
import PawlCore
import PawlTestKit
import Testing

extension EndToEnd {
    /// The real program, killed with `kill -9` at random moments and restarted with the same command, again and again.
    ///
    /// Most kills come before the first checkpoint is due or while the program starts; a fifth come around a
    /// checkpoint. When a download completes, the next one begins, so that kills hit the last moments of a download as
    /// well. The moments follow from a seed; to reproduce a failure, set PAWL_SEED to it.
    ///
    /// After a kill during a sync, the program falls back to the last durable record, because the unsynced one is
    /// doubtful while the sync runs. The files are in memory, where a sync takes no time, so this must be rare; the
    /// test counts how often it happens.
    @Suite("Killed at random moments", .serialized, .timeLimit(.minutes(8)))
    struct KillTests {
        static let kills = 100
        static let size = 24 << 20
        static let connections = 4
        static let bytesPerSecond = 512 << 10

        /// Bytes that one kill may cost: half a second's worth, and the contents of buffers. Checkpoints are four times
        /// rarer.
        static let window: Int64 = {
            // The program writes its buffered bytes every half second.
            let seconds = 0.5 + 0.5
            let buffers = 256 << 10  // socket buffers at both ends
            return Int64(connections) * (Int64(Double(bytesPerSecond) * seconds) + Int64(buffers))
        }()

        /// Kills that may hit a sync and lose the bytes received since the last durable record.
        static let maximumFallenBack = 7

        @Test
        func
            `J01 a program killed a hundred times at random moments loses no durable byte and completes with the right bytes`()
            async throws
        {
            let seed = ProcessInfo.processInfo.environment["PAWL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999)
            print("PAWL_SEED=\(seed)")
            var moments = SeededGenerator(seed: seed)
            let content = Files.randomBytes(Self.size)
            let place = RealServer.Place.slow(bytesPerSecond: Self.bytesPerSecond)
            let world = try await World(places: [place], in: TemporaryDirectory.memory, content: content)
            let command = world.get(in: place, "-q", "-x", "\(Self.connections)")

            var runs: [Run] = []
            var downloads = 1
            for number in 1...Self.kills {
                let delay = Double.random(in: number % 5 == 0 ? 1.2...3.0 : 0...0.8, using: &moments)
                var run = Run(number: number, download: downloads, delay: delay)
                let (before, unsynced) = (try await Program.status(of: world.target), try unsyncedRecord(world))
                run.before = before?.resumableBytes ?? 0
                let download = try Program.start(command + ["--header", "X-Run: \(number)"])
                try await watch(download, for: .seconds(delay), world: world)
                download.kill9()
                let ending = try await download.wait(timeout: .seconds(60))

                if ending == .signalled(9), !Files.exists(world.target) {
                    run.after = try await Program.status(of: world.target)?.resumableBytes ?? 0
                    let left = try unsyncedRecord(world)
                    run.wasSyncing = left != unsynced && left?.isDoubtful == true
                    let least = run.wasSyncing ? before?.durableBytes ?? 0 : run.before
                    #expect(run.after >= least, "kill \(number) (seed \(seed)) lost bytes that the journal had noted")
                } else {
                    // The download completed before the kill, or the kill hit its last steps.
                    #expect(ending == ExitCode.done || ending == .signalled(9), "\(download.standardError)")
                    run.after = Int64(Self.size)
                    try await finish(command, world, content, seed)
                    downloads += 1
                }
                runs.append(run)
            }
            if Files.exists(world.partial) || !Files.exists(world.target) {
                try await finish(command + ["--header", "X-Run: last"], world, content, seed)
            }
            try await account(for: runs, downloads: downloads, world: world, seed: seed)
        }

        struct Run {
            let number: Int
            let download: Int
            let delay: Double
            var before: Int64 = 0
            var after: Int64 = 0
            /// A sync of the partial file was running, or had finished without being recorded.
            var wasSyncing = false
        }

        private func unsyncedRecord(_ world: World) throws -> UnsyncedRecord? {
            Files.exists(world.journal) ? Journal.decodeUnsynced(try Files.read(world.journal)) : nil
        }

        /// Lets the program run and checks repeatedly that only a complete file has the final name.
        private func watch(_ download: Subprocess, for time: Duration, world: World) async throws {
            let end = ContinuousClock.now + time
            while ContinuousClock.now < end, download.running() {
                if let size = try? Files.status(world.target).size {
                    #expect(size == Self.size, "a final name on a partial file")
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Runs the command to its end. A program killed between its last steps may have renamed the file and left the
        /// journal.
        private func finish(_ command: [String], _ world: World, _ content: [UInt8], _ seed: UInt64) async throws {
            let output = try await Program.run(command, timeout: .seconds(120))
            let whole = output.ending == ExitCode.done || output.ending == ExitCode.fileExists
            #expect(whole, "seed \(seed): \(output.standardError)")
            #expect(try await Files.sha256(world.target) == Self.digest(of: content), "seed \(seed): wrong bytes")
            if output.ending == ExitCode.done { try world.expectOnly(content) }
            for name in try Files.names(world.directory.path) { Files.remove(world.directory.file(name)) }
        }

        private static func digest(of content: [UInt8]) async throws -> String {
            let directory = try TemporaryDirectory("digest")
            try Files.write(content, to: directory.file("content"))
            return try await Files.sha256(directory.file("content"))
        }

        /// Compares the bytes that the server sent with the bytes that the downloads needed.
        private func account(for runs: [Run], downloads: Int, world: World, seed: UInt64) async throws {
            let requests = try await world.server.stopAndReadLog()
            var served: [String: Int64] = [:]
            for request in requests { served[request.run ?? "none", default: 0] += request.bodyBytes }
            var (worst, fallenBack, allowed): (Int64, Int, Int64) = (0, 0, 0)
            for run in runs {
                let lost = served["\(run.number)", default: 0] - (run.after - run.before)
                if run.wasSyncing, lost > Self.window || run.after < run.before {
                    fallenBack += 1
                    allowed += lost
                    continue
                }
                allowed += Self.window
                worst = max(worst, lost)
                #expect(
                    lost <= Self.window, "kill \(run.number) after \(run.delay) s (seed \(seed)) cost \(lost) bytes")
            }
            #expect(
                fallenBack <= Self.maximumFallenBack,
                "seed \(seed): \(fallenBack) kills cost what had come since the last durable record")
            let total = requests.reduce(0) { $0 + $1.bodyBytes }
            let needed = Int64(downloads * Self.size)
            #expect(total <= needed + allowed, "seed \(seed): \(total) bytes served")
            print(
                "\(Self.kills) kills, \(downloads) downloads of \(Self.size) bytes: \(total) bytes served,",
                "\((total - needed) / Int64(Self.kills)) lost for each kill, at most \(worst); one window is \(Self.window);",
                "\(fallenBack) fell back to the last durable record"
            )
        }
    }
}
