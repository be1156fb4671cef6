import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Small files that end together share their syncs.
@Suite struct `Files finished in groups` {
    private static let names = (1...6).map { "file \($0)" }

    private struct Run {
        let disk: SimulatedDisk
        let bytes: [UInt8]
        var completed: Set<String> = []
        var failed: [String: DownloadError] = [:]

        func contents(_ name: String) -> [UInt8]? { disk.contents(of: "/downloads/" + name) }

        /// A name that stands for something else than the whole file.
        var hasWrongName: Bool { names.contains { name in contents(name).map { $0 != bytes } ?? false } }

        /// One that was said to be complete, and is not there.
        var hasLost: Bool { completed.contains { contents($0) == nil } }
    }

    /// Downloads six small files at once.
    private func run(
        seed: UInt64, sync: SyncPolicy = .group, largestHeldFile: Int64 = 128 << 10,
        without omission: UnsyncedStorage.Omission? = nil, _ prepare: (SimulatedDisk) -> Void = { _ in }
    ) throws -> Run {
        let disk = SimulatedDisk(seed: seed)
        disk.makeDirectory("/downloads")
        prepare(disk)
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let bytes = EngineBench.bytes(10_000, seed)
        let origin = SimulatedOrigin(versions: [
            .init(bytes: bytes, entityTag: "\"one\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        var ports = Ports(
            transport: SimulatedNetwork(origin, others: [:], runtime: runtime),
            storage: omission.map { UnsyncedStorage(disk, without: $0) } ?? disk,
            runtime: runtime, digests: SimulatedDigests())
        ports.largestHeldFile = largestHeldFile
        let endings = Locked<[String: DownloadDriver.Ending]>([:])
        let drivers = try Self.names.map { name in
            var settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/file.bin"))
            settings.options.sync = sync
            var plan = Plan(settings: settings, directory: "/downloads")
            plan.fileName = name
            return DownloadDriver(
                plan, ports: ports,
                listener: ClosureListener(ended: { ending in endings.withLock { $0[name] = ending } }))
        }
        for driver in drivers { driver.start() }
        _ = runtime.run(limit: .seconds(3600)) { endings.withLock { $0.count } == drivers.count }
        runtime.halt()
        var run = Run(disk: disk, bytes: bytes)
        for (name, ending) in endings.withLock({ $0 }) {
            switch ending.phase {
            case .completed: run.completed.insert(name)
            case .failed(let error): run.failed[name] = error
            default: Issue.record("\(name): \(ending.phase)")
            }
        }
        return run
    }

    /// The power fails after each change of the disk.
    private func cut(
        seeds: Range<UInt64>, without omission: UnsyncedStorage.Omission? = nil
    ) throws -> (cuts: Int, wrongNames: Int, lost: Int) {
        var (cuts, wrongNames, lost) = (0, 0, 0)
        for seed in seeds {
            var operation = 0
            var isOver = false
            while !isOver {
                operation += 1
                let run = try run(seed: seed, without: omission) { $0.stopAfter(operations: operation) }
                isOver = run.completed.count == Self.names.count
                run.disk.crash()
                cuts += 1
                if run.hasWrongName { wrongNames += 1 }
                if run.hasLost { lost += 1 }
            }
        }
        return (cuts, wrongNames, lost)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `six files share few syncs`(seed: UInt64) throws {
        let run = try run(seed: seed)
        #expect(run.completed == Set(Self.names))
        #expect(!run.hasWrongName)
        #expect(run.disk.count(of: .fileSystemSync) > 0)
        let syncs = [.fileSystemSync, .sync, .directorySync].map { run.disk.count(of: $0) }.reduce(0, +)
        #expect(syncs < 3 * Self.names.count)
        #expect(run.disk.openFileCount == 0)
    }

    @Test func `each file has its own syncs if that is asked for, and none if none is`() throws {
        let alone = try run(seed: 1, sync: .file)
        #expect(alone.completed == Set(Self.names))
        #expect([.fileSystemSync, .sync, .directorySync].map { alone.disk.count(of: $0) } == [0, 12, 6])
        for largestHeldFile: Int64 in [128 << 10, 0] {
            let unsynced = try run(seed: 1, sync: .none, largestHeldFile: largestHeldFile)
            #expect(unsynced.completed == Set(Self.names))
            #expect(!unsynced.hasWrongName)
            #expect(
                [.fileSystemSync, .sync, .syncData, .directorySync].map { unsynced.disk.count(of: $0) } == [0, 0, 0, 0])
        }
    }

    /// The next run believes what the journal of such a file says.
    @Test func `D17 without syncs too, a file that could not be named is durable before its journal says so`() throws {
        let run = try run(seed: 1, sync: .none, largestHeldFile: 0) {
            $0.faults = .failing(.rename, with: .inputOutput)
        }
        #expect(run.completed.count == Self.names.count - 1)
        let failed = try #require(run.failed.keys.first)
        run.disk.crash()
        #expect(run.contents(failed + ".pawl") != nil)
        #expect(run.contents(failed + ".part") == run.bytes)
    }

    @Test
    func
        `J03 after a power cut at any moment of a group, its names belong to complete files, and what was told complete is there`()
        throws
    {
        let (cuts, wrongNames, lost) = try cut(seeds: 0..<12)
        #expect((wrongNames, lost) == (0, 0))
        #expect(cuts > 12 * Self.names.count)
    }

    @Test func `J03 the power cut test detects a missing sync of the file system, of the files and of their directory`()
        throws
    {
        let fileSystem = try cut(seeds: 0..<4, without: .fileSystem)
        #expect(fileSystem.wrongNames > 0)
        #expect(fileSystem.lost > 0)
        #expect(try cut(seeds: 0..<4, without: .partialFile).wrongNames > 0)
        #expect(try cut(seeds: 0..<4, without: .directory).lost > 0)
    }

    /// The first of the two comes before the files have their names, so each begins anew; the second one after.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `D05 a failed sync of the file system is told, or the files are written anew`(seed: UInt64) throws {
        for call in 1...2 {
            let run = try run(seed: seed) { $0.faults = .failing(.fileSystemSync, call: call, with: .inputOutput) }
            #expect(run.completed.count + run.failed.count == Self.names.count)
            #expect(!run.hasWrongName)
            #expect(run.failed.values.allSatisfy { $0.code == .diskError })
            run.disk.crash()
            #expect(!run.hasLost)
            #expect(!run.hasWrongName)
        }
    }
}
