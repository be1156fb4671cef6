import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct SimulatedStorageConformanceTests {
    @Test(arguments: StorageConformance.Check.allCases)
    func `the simulated disk meets the contract of storage`(_ check: StorageConformance.Check) throws {
        let disk = SimulatedDisk(seed: 1, capacity: 1 << 30)
        disk.makeDirectory("/downloads")
        let conformance = StorageConformance(storage: disk, directory: "/downloads") { kind, name in
            disk.install("/downloads/\(name)", kind: kind)
        }
        try conformance.run(check)
    }
}

/// The crash model itself, over many seeds: guarantees hold for every seed, and permitted outcomes occur for some.
@Suite struct SimulatedDiskTests {
    static let seeds: Range<UInt64> = 0..<200

    @Test func `synced writes survive a crash`() throws {
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            try file.write(bytes(1, 5000), at: 0)
            try file.syncData()
            try directory.sync()
            try file.write(bytes(2, 1000), at: 5000)
            disk.crash()
            let contents = try #require(disk.contents(of: "/d/file"))
            #expect(contents.count >= 5000, "seed \(seed)")
            #expect(contents.prefix(5000).allSatisfy { $0 == 1 }, "seed \(seed)")
        }
    }

    @Test func `unsynced writes survive a crash whole, torn between sectors, or not at all`() throws {
        var whole = 0
        var torn = 0
        var none = 0
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            _ = try file.allocate(8192)
            try file.sync()
            try directory.sync()
            try file.write(bytes(1, 8192), at: 0)
            disk.crash()
            let contents = try #require(disk.contents(of: "/d/file"))
            let sectors = stride(from: 0, to: 8192, by: 512).map { Set(contents[$0..<$0 + 512]) }
            #expect(contents.count == 8192, "seed \(seed)")
            #expect(sectors.allSatisfy { $0.count == 1 }, "seed \(seed): a sector was torn")
            switch sectors.filter({ $0 == [1] }).count {
            case 16: whole += 1
            case 0: none += 1
            default: torn += 1
            }
        }
        #expect(whole > 20 && torn > 20 && none > 20)
    }

    @Test func `unsynced writes survive a crash in any order`() throws {
        var secondOnly = 0
        var firstOverSecond = 0
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            try file.write(bytes(0, 1024), at: 0)
            try file.sync()
            try directory.sync()
            try file.write(bytes(1, 1024), at: 0)
            try file.write(bytes(2, 512), at: 0)
            disk.crash()
            let contents = try #require(disk.contents(of: "/d/file"))
            #expect([0, 1, 2].contains(contents[0]) && [0, 1].contains(contents[600]), "seed \(seed)")
            if contents[0] == 2, contents[600] == 0 { secondOnly += 1 }
            if contents[0] == 1 { firstOverSecond += 1 }
        }
        #expect(secondOnly > 5 && firstOverSecond > 5)
    }

    @Test func `unsynced changes of a file's length may be lost`() throws {
        var lengths: Set<Int> = []
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            try file.write(bytes(1, 100), at: 0)
            try file.sync()
            try directory.sync()
            _ = try file.allocate(4096)
            try file.truncate(to: 50)
            disk.crash()
            lengths.insert(try #require(disk.contents(of: "/d/file")).count)
        }
        #expect(lengths == [50, 100, 4096])
    }

    @Test func `truncated bytes do not come back after a sync`() throws {
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            try file.write(bytes(1, 40_000), at: 0)
            try file.sync()
            try directory.sync()
            try file.truncate(to: 10)
            try file.truncate(to: 40_000)
            try file.syncData()
            disk.crash()
            #expect(disk.contents(of: "/d/file") == bytes(1, 10) + bytes(0, 39_990), "seed \(seed)")
        }
    }

    @Test func `without a sync of the directory, a crash keeps its changes only up to some point in their order`()
        throws
    {
        var states: [[String]: Int] = [:]
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            try file.write([1, 2, 3], at: 0)
            try file.sync()
            try directory.rename("file", to: "renamed", replacing: false)
            _ = try directory.create("later")
            disk.crash()
            states[disk.names(in: "/d"), default: 0] += 1
            if disk.exists("/d/renamed") { #expect(disk.contents(of: "/d/renamed") == [1, 2, 3]) }
        }
        // The changes survive in the order in which they were made: never a later one without the earlier.
        #expect(Set(states.keys) == [[], ["file"], ["renamed"], ["later", "renamed"]])
    }

    @Test func `names survive a crash once the directory is synced`() throws {
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            try file.write([1, 2, 3], at: 0)
            try file.sync()
            try directory.rename("file", to: "renamed", replacing: false)
            try directory.sync()
            disk.crash()
            #expect(disk.names(in: "/d") == ["renamed"], "seed \(seed)")
            #expect(disk.contents(of: "/d/renamed") == [1, 2, 3], "seed \(seed)")
        }
    }

    @Test func `a file removed without a sync may come back with its contents`() throws {
        var returns = 0
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            disk.install("/d/file", [1, 2, 3])
            let identity = try #require(try directory.status("file")).identity
            try directory.remove("file", ifStill: identity)
            disk.crash()
            guard let contents = disk.contents(of: "/d/file") else { continue }
            returns += 1
            #expect(contents == [1, 2, 3], "seed \(seed)")
        }
        #expect(returns > 50 && returns < 150)
    }

    /// As on Linux: reads return the lost data from the page cache, and the next sync succeeds.
    @Test(arguments: [SimulatedDisk.Operation.syncData, .sync])
    func `a failed sync loses writes that reads still return`(_ operation: SimulatedDisk.Operation) throws {
        for seed in Self.seeds {
            let (disk, directory) = try makeDisk(seed)
            let file = try directory.create("file")
            _ = try file.allocate(2048)
            try file.sync()
            try directory.sync()
            try file.write(bytes(1, 1024), at: 0)
            disk.faults = .failing(operation, with: .inputOutput)
            let failure = #expect(throws: StorageError.self) {
                operation == .sync ? try file.sync() : try file.syncData()
            }
            #expect(failure?.reason == .inputOutput)
            try file.write(bytes(2, 1024), at: 1024)
            operation == .sync ? try file.sync() : try file.syncData()
            #expect(try file.read(2048, at: 0) == bytes(1, 1024) + bytes(2, 1024))
            disk.crash()
            #expect(disk.contents(of: "/d/file") == bytes(0, 1024) + bytes(2, 1024), "seed \(seed)")
        }
    }

    @Test func `a killed process loses only its open files and their locks`() throws {
        let (disk, directory) = try makeDisk(0)
        let file = try directory.create("file")
        try file.write([1, 2, 3], at: 0)
        #expect(try file.lock())
        let owner = disk.owner
        disk.kill()
        #expect(disk.contents(of: "/d/file") == [1, 2, 3])
        #expect(disk.openFileCount == 0)
        #expect(disk.owner.bootID == owner.bootID && disk.owner.processID != owner.processID)
        #expect(throws: StorageError(operation: "pwrite", name: "file", reason: .stale)) { try file.write([1], at: 0) }
        #expect(throws: StorageError(operation: "readdir", name: "/d", reason: .stale)) { try directory.names() }
        #expect(try disk.openDirectory("/d").open("file", writable: true).lock())
        disk.crash()
        #expect(disk.owner.bootID != owner.bootID)
    }

    @Test func `every operation fails after the planned number of changes, until the process is killed`() throws {
        let (disk, directory) = try makeDisk(0)
        disk.stopAfter(operations: 2)
        let file = try directory.create("file")
        try file.write([1], at: 0)
        #expect(try file.read(1, at: 0) == [1])
        let stop = #expect(throws: StorageError.self) { try file.write([2], at: 0) }
        #expect(stop?.reason == SimulatedDisk.stopped)
        #expect(throws: StorageError.self) { try file.read(1, at: 0) }
        #expect(throws: StorageError.self) { try disk.openDirectory("/d") }
        disk.kill()
        #expect(disk.contents(of: "/d/file") == [1])
        #expect(disk.changeCount == 2)
        _ = try disk.openDirectory("/d")
    }

    @Test(arguments: SimulatedDisk.Operation.allCases)
    func `each operation fails when planned`(_ operation: SimulatedDisk.Operation) throws {
        let (disk, _) = try makeDisk(0)
        func run() throws {
            let directory = try disk.openDirectory("/d")
            let file = try directory.create("file")
            _ = try directory.open("file", writable: false)
            let identity = try file.status().identity
            _ = try (directory.status("file"), directory.names(), directory.availableBytes())
            _ = try (
                file.allocate(10), file.lock(), file.setMark([1]), file.mark(), file.setAttribute("user.x", to: [1]),
                file.attribute("user.x")
            )
            try file.write([1], at: 0)
            _ = try file.read(1, at: 0)
            try file.truncate(to: 1)
            try file.syncData()
            try file.setPermissions(0o644)
            try file.setModified(1)
            try file.sync()
            try directory.rename("file", to: "other", replacing: false)
            try directory.remove("other", ifStill: identity)
            try directory.sync()
            #expect(try directory.syncFileSystem())
            try file.close()
            let unnamed = try #require(try directory.createUnnamed())
            #expect(try directory.link(unnamed, to: "file"))
            try directory.remove("file", ifStill: try unnamed.status().identity)
        }
        try run()
        disk.faults = .failing(operation, with: .quotaExceeded)
        let error = #expect(throws: StorageError.self) { try run() }
        #expect(error?.reason == .quotaExceeded)
    }

    @Test func `a full disk still accepts writes to reserved space`() throws {
        let disk = SimulatedDisk(capacity: 10_000)
        disk.makeDirectory("/d")
        let directory = try disk.openDirectory("/d")
        let reserved = try directory.create("reserved")
        #expect(try reserved.allocate(6000))
        let other = try directory.create("other")
        #expect(throws: StorageError(operation: "fallocate", name: "other", reason: .noSpace)) {
            try other.allocate(6000)
        }
        #expect(throws: StorageError(operation: "pwrite", name: "other", reason: .noSpace)) {
            try other.write(bytes(1, 5000), at: 0)
        }
        #expect(try directory.availableBytes() == 0)
        try reserved.write(bytes(1, 6000), at: 0)
        try directory.remove("other", ifStill: other.status().identity)
        #expect(try directory.availableBytes() == 0)
        try other.close()
        #expect(try directory.availableBytes() == 4000)
        try reserved.truncate(to: 1000)
        #expect(try directory.availableBytes() == 9000)
    }

    @Test
    func `a file system without reservation, marks or locks says so, and so does one that limits the length of files`()
        throws
    {
        let (disk, directory) = try makeDisk(0)
        disk.features.reservesSpace = false
        disk.features.hasLocks = false
        disk.features.hasMarks = false
        disk.features.largestFile = 1000
        let file = try directory.create("file")
        #expect(try !file.allocate(1000))
        #expect(try file.status().size == 1000)
        #expect(try !file.setMark([1]))
        #expect(throws: StorageError(operation: "fcntl", name: "file", reason: .notSupported)) { try file.lock() }
        #expect(throws: StorageError(operation: "fallocate", name: "file", reason: .fileTooLarge)) {
            try file.allocate(1001)
        }
    }

    @Test func `the same seed leaves the same bytes after a crash`() throws {
        func run() throws -> [UInt8]? {
            let (disk, directory) = try makeDisk(42)
            let files = try ["a", "b", "c"].map { try directory.create($0) }
            try directory.sync()
            for (index, file) in files.enumerated() { try file.write(bytes(UInt8(index + 1), 5000), at: 0) }
            disk.crash()
            return ["a", "b", "c"].flatMap { disk.contents(of: "/d/\($0)") ?? [] }
        }
        #expect(try run() == run())
    }

    @Test func `changes by another program are visible at once and survive a crash`() throws {
        let (disk, directory) = try makeDisk(0)
        disk.install("/d/file", [1, 2, 3])
        let file = try directory.open("file", writable: true)
        disk.overwrite("/d/file", at: 1, with: [9])
        #expect(try file.read(3, at: 0) == [1, 9, 3])
        disk.crash()
        #expect(disk.contents(of: "/d/file") == [1, 9, 3])
        disk.delete("/d/file")
        #expect(!disk.exists("/d/file"))
    }

    private func makeDisk(_ seed: UInt64) throws -> (SimulatedDisk, any StorageDirectory) {
        let disk = SimulatedDisk(seed: seed)
        disk.makeDirectory("/d")
        return (disk, try disk.openDirectory("/d"))
    }

    private func bytes(_ value: UInt8, _ count: Int) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }
}
