import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlSystem
import PawlTestKit
import Synchronization
import Testing

@Suite struct StoreConformanceTests {
    @Test(arguments: StoreConformance.Check.allCases)
    func `a directory is a store`(_ check: StoreConformance.Check) throws {
        let directory = try TemporaryDirectory()
        let runtime = try LiveRuntime()
        let stores = (0..<3).map { _ in
            DirectoryStore(directory.path, storage: POSIXStorage(), runtime: runtime, digests: SystemDigests()) {
                path in
                let isMade = mkdir(path, 0o777) == 0 || errno == EEXIST
                return isMade ? nil : StorageError(operation: "mkdir", name: path, reason: .other(errno: errno))
            }
        }
        try StoreConformance(stores, digests: SystemDigests()) { isDone in
            while !isDone() { usleep(200) }
        }.run(check)
        #expect(leftovers(in: directory.path).isEmpty)
    }

    @Test(arguments: StoreConformance.Check.allCases, 0..<8 as Range<UInt64>)
    func `a directory of any file system is a store`(_ check: StoreConformance.Check, _ seed: UInt64) throws {
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let disk = SimulatedDisk(seed: seed)
        disk.features.hasUnnamedFiles = seed & 1 == 0
        disk.features.linksUnnamedFiles = seed & 2 == 0
        disk.features.renamesByLinking = seed & 4 == 0
        disk.makeDirectory("/s")
        let stores = (0..<3).map { _ in
            DirectoryStore("/s", storage: disk, runtime: runtime, digests: SimulatedDigests()) { path in
                disk.makeDirectory(path)
                return nil
            }
        }
        try StoreConformance(stores, digests: SimulatedDigests()) { isDone in
            _ = runtime.run(limit: .seconds(600), until: isDone)
        }.run(check)
        #expect(!disk.names(in: "/s/a").contains { $0.hasPrefix(".") })
    }

    @Test(arguments: StoreConformance.Check.allCases, 0..<4 as Range<UInt64>)
    func `the simulated store is a store`(_ check: StoreConformance.Check, _ seed: UInt64) throws {
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let store = SimulatedStore(runtime)
        try StoreConformance([store, store], digests: SimulatedDigests()) { isDone in
            _ = runtime.run(limit: .seconds(600), until: isDone)
        }.run(check)
    }

    @Test
    func `a store that ignores conditions is found out`() throws {
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        var habits = SimulatedStore.Habits()
        habits.ignoresConditions = true
        let store = SimulatedStore(runtime, habits)
        let conformance = StoreConformance([store], digests: SimulatedDigests()) { isDone in
            _ = runtime.run(limit: .seconds(600), until: isDone)
        }
        for check in [StoreConformance.Check.createRefusesTakenKeys, .ofEightCreatorsOneSucceeds] {
            #expect(throws: StoreConformance.Failure.self) { try conformance.run(check) }
        }
    }

    @Test(arguments: 0..<60)
    func `what a killed creation left is removed by the next`(_ calls: Int) throws {
        let runtime = SimulatedRuntime(seed: UInt64(calls), now: .zero)
        let disk = SimulatedDisk(seed: UInt64(calls))
        disk.features.hasUnnamedFiles = calls % 2 == 0
        disk.makeDirectory("/s")
        disk.makeDirectory("/s/a")
        func store() -> DirectoryStore {
            DirectoryStore("/s", storage: disk, runtime: runtime, digests: SimulatedDigests()) { path in
                disk.makeDirectory(path)
                return nil
            }
        }
        let (first, second) = (try #require(StoreKey("a/first")), try #require(StoreKey("a/second")))
        let body = StoreBody([UInt8](repeating: 7, count: 100_000))
        disk.stopAfter(operations: calls / 2)
        let killed = store()
        let end = Locked<Result<StoreCreation, StoreError>?>(nil)
        killed.create(first, body) { result in end.withLock { $0 = result } }
        _ = runtime.run(limit: .seconds(60)) { end.withLock { $0 } != nil }
        let wasTold = if case .success? = end.withLock({ $0 }) { true } else { false }
        // What was told is durable.
        disk.crash()
        // Nobody is at it any more after a day.
        runtime.after(.seconds(100_000)) {}
        _ = runtime.run(limit: .seconds(200_000)) { false }
        let count = Locked(0)
        store().create(second, body) { _ in count.withLock { $0 += 1 } }
        _ = runtime.run(limit: .seconds(60)) { count.withLock { $0 } == 1 }
        let files = disk.names(in: "/s/a")
        #expect(files.contains("second"))
        #expect(!wasTold || files.contains("first"))
        #expect(files.allSatisfy { ["first", "second"].contains($0) })
        for name in files { #expect(disk.contents(of: "/s/a/\(name)")?.count == 100_000) }
    }

    private func leftovers(in path: String) -> [String] {
        let names = try? POSIXStorage().openDirectory(path + "/a").names()
        return names?.filter { $0.hasPrefix(".") } ?? []
    }
}

@Suite struct StoreKeyTests {
    @Test(arguments: ["a", "a/b", "manifests/00017-00003.ndjson.gz", "é/Ü"])
    func `keys that every store can have`(_ text: String) {
        #expect(StoreKey(text)?.text == text)
    }

    @Test(arguments: [
        "", "/a", "a/", "a//b", ".", "..", "a/../b", ".hidden", "a/.b", "a\\b", "a\nb", "a\u{7F}",
        String(repeating: "x", count: 201), Array(repeating: "abcdefghi", count: 103).joined(separator: "/"),
    ])
    func `keys that some store could not have, or takes for another`(_ text: String) {
        #expect(StoreKey(text) == nil)
    }

    @Test
    func `keys are compared by their bytes`() {
        #expect(StoreKey("e\u{301}") != StoreKey("\u{E9}"))
    }
}
