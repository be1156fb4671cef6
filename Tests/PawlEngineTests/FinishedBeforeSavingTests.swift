import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// A program that ends between a download's completion and the save that would have recorded it.
@Suite("Downloads that finished before the session was saved")
struct FinishedBeforeSavingTests {
    private static let bytes = EngineBench.bytes(9000, 3)

    /// One life of the program: a pool with a disk, a network and a session.
    private struct Life {
        let runtime: SimulatedRuntime
        let pool: DownloadPool
        let session: SessionFile

        init(
            _ disk: SimulatedDisk, seed: UInt64, now: Instant,
            _ configure: @escaping @Sendable (inout Plan) -> Void
        ) throws {
            runtime = SimulatedRuntime(seed: seed, now: now)
            var origin = SimulatedOrigin(versions: [
                .init(bytes: bytes, entityTag: "\"1\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
            ])
            origin.fields = [HTTPField("content-disposition", "attachment; filename=file")]
            let ports = Ports(
                transport: SimulatedHosts(["a.example:80": origin], runtime: runtime), storage: disk, runtime: runtime,
                digests: SimulatedDigests())
            pool = DownloadPool(
                ports: ports, runner: SimulatedRunner(ports, configure: configure), limits: QueueMachine.Limits())
            session = SessionFile(disk, directory: "/s", name: "session")
            try pool.restore(from: session)
        }

        func settle() -> QueueEntry.State? {
            _ = runtime.run(limit: .seconds(3600)) { pool.snapshots.allSatisfy { !$0.entry.state.isAlive } }
            return pool.snapshots.first?.entry.state
        }
    }

    private func disk(hasMarks: Bool, seed: UInt64) -> SimulatedDisk {
        let disk = SimulatedDisk(seed: seed)
        disk.features.hasMarks = hasMarks
        disk.makeDirectory("/d")
        disk.makeDirectory("/s")
        return disk
    }

    private func add(to pool: DownloadPool, named name: String?) throws {
        _ = pool.add(Plan(try HTTPURL(parsing: "http://a.example/file"), in: "/d", named: name), target: 7)
    }

    /// Stops the program at each disk call after the session has listed the download, and restarts it.
    private func eachCut(
        isPowerCut: Bool, hasMarks: Bool = true, named name: String? = "file", policy: ExistingFilePolicy = .fail,
        prepare: (SimulatedDisk) -> Void = { _ in }, judge: (SimulatedDisk, QueueEntry.State?, Int) throws -> Void
    ) throws {
        var operation = 0
        var isOver = false
        while !isOver {
            operation += 1
            let disk = disk(hasMarks: hasMarks, seed: UInt64(operation))
            prepare(disk)
            let life = try Life(disk, seed: UInt64(operation), now: .zero) { $0.ifExists = policy }
            // The entry is saved before the download begins, and nothing later is.
            life.pool.setMaximumRunning(1)
            try add(to: life.pool, named: name)
            life.pool.pauseAll()
            _ = life.runtime.run(limit: .seconds(2)) { false }
            disk.stopAfter(operations: operation)
            life.pool.resumeAll()
            // The session would be saved a quarter of a second later.
            _ = life.runtime.run(limit: .milliseconds(240)) { false }
            if case .completed? = life.pool.snapshots.first?.entry.state { isOver = true }
            life.runtime.halt()
            if isPowerCut { disk.crash() } else { disk.kill() }
            let next = try Life(disk, seed: UInt64(operation) + 1000, now: life.runtime.now + .seconds(1)) {
                $0.ifExists = policy
            }
            next.pool.resumeAll()
            let state = next.settle()
            // The session is saved by then.
            _ = next.runtime.run(limit: .seconds(2)) { false }
            try judge(disk, state, operation)
            next.runtime.halt()
        }
        #expect(operation > 8)
    }

    @Test(arguments: [true, false], ExistingFilePolicy.allCases)
    func `a file finished before the session was saved counts as completed, and is not fetched again to another name`(
        isPowerCut: Bool, policy: ExistingFilePolicy
    ) throws {
        try eachCut(isPowerCut: isPowerCut, policy: policy) { disk, state, operation in
            guard case .completed(let facts)? = state else {
                Issue.record("cut \(operation): \(String(describing: state)), \(disk.names(in: "/d"))")
                return
            }
            #expect(
                !facts.wasSkipped && facts.isComplete && facts.byteCount == 9000 && facts.fileName == "file",
                "cut \(operation)")
            #expect(disk.contents(of: "/d/file") == Self.bytes)
            #expect(disk.names(in: "/d") == ["file"], "cut \(operation)")
        }
    }

    @Test(arguments: [true, false])
    func `a file finished before the session was saved counts as completed even if its server chose the name`(
        isPowerCut: Bool
    ) throws {
        try eachCut(isPowerCut: isPowerCut, named: nil) { disk, state, operation in
            guard case .completed? = state else {
                Issue.record("cut \(operation): \(String(describing: state)), \(disk.names(in: "/d"))")
                return
            }
            #expect(disk.contents(of: "/d/file") == Self.bytes)
            #expect(disk.names(in: "/d") == ["file"], "cut \(operation)")
        }
    }

    @Test func `a file finished under a changed name, beside a foreign file, counts as completed`() throws {
        try eachCut(isPowerCut: false, policy: .rename, prepare: { $0.install("/d/file", [1, 2, 3]) }) {
            disk, state, operation in
            guard case .completed(let facts)? = state else {
                Issue.record("cut \(operation): \(String(describing: state)), \(disk.names(in: "/d"))")
                return
            }
            #expect(facts.fileName == "file (1)" && !facts.wasSkipped)
            #expect(disk.contents(of: "/d/file") == [1, 2, 3])
            #expect(disk.names(in: "/d") == ["file", "file (1)"], "cut \(operation)")
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `D31 without extended attributes the journal says that a file was finished before the session was saved`(
        isPowerCut: Bool, recordsCreation: Bool
    ) throws {
        for isTaken in [false, true] {
            try eachCut(
                isPowerCut: isPowerCut, hasMarks: false, policy: isTaken ? .rename : .fail,
                prepare: { disk in
                    disk.features.recordsCreation = recordsCreation
                    disk.features.renamesByLinking = true
                    if isTaken { disk.install("/d/file", [1, 2, 3]) }
                }
            ) { disk, state, operation in
                guard case .completed(let facts)? = state else {
                    Issue.record("cut \(operation): \(String(describing: state)), \(disk.names(in: "/d"))")
                    return
                }
                #expect(!facts.wasSkipped && facts.fileName == (isTaken ? "file (1)" : "file"), "cut \(operation)")
                #expect(disk.contents(of: "/d/" + facts.fileName) == Self.bytes)
                let expected = isTaken ? ["file", "file (1)"] : ["file"]
                // Without marks, nothing shows whose the partial file without a journal was.
                let names = disk.names(in: "/d").filter { !$0.contains(".part.orphan") }
                #expect(names == expected, "cut \(operation)")
            }
        }
    }

    /// The request of a job may change while its file is finished.
    @Test(arguments: [true, false, nil])
    func `V27 a file that an earlier run has finished is compared with the checksum given since`(isRight: Bool?) throws
    {
        for name in ["file.bin", nil] {
            var bench = try EngineBench()
            bench.origin.fields = [HTTPField("content-disposition", "attachment; filename=file.bin")]
            func change(_ plan: inout Plan) { (plan.fileName, plan.markerNumber) = (name, 0xa) }
            #expect(bench.run(change).outcome?.isVerified == false)
            let other = isRight == true ? bench.bytes : [1, 2, 3]
            if isRight != nil { bench.settings.digest = SimulatedDigests().digest(other) }
            let run = bench.run(change)
            if isRight == false {
                #expect(run.errorCode == .digestMismatch)
            } else {
                #expect(run.outcome == .init(isComplete: true, isVerified: isRight == true))
            }
            #expect(run.bodyBytes == 0 && bench.listing == ["file.bin": bench.bytes])
        }
    }

    @Test func `P22 a finished download removed before its end is saved leaves no journal behind`() throws {
        let disk = disk(hasMarks: false, seed: 1)
        let life = try Life(disk, seed: 1, now: .zero) { _ in }
        try add(to: life.pool, named: "file")
        _ = life.runtime.run(limit: .milliseconds(240)) { life.pool.snapshots.allSatisfy { !$0.entry.state.isAlive } }
        #expect(disk.names(in: "/d") == ["file", "file.pawl"], "the journal says whose the file is")
        life.pool.remove(try #require(life.pool.ids.first), deletesFiles: false)
        _ = life.runtime.run(limit: .seconds(2)) { false }
        #expect(disk.names(in: "/d") == ["file"])
        #expect(disk.contents(of: "/d/file") == Self.bytes)
        life.runtime.halt()
    }

    @Test func `P22 one that an earlier program has finished leaves none either, when it is removed before it runs`()
        throws
    {
        let disk = disk(hasMarks: false, seed: 1)
        let life = try Life(disk, seed: 1, now: .zero) { _ in }
        try add(to: life.pool, named: "file")
        life.pool.pauseAll()
        _ = life.runtime.run(limit: .seconds(2)) { false }
        life.pool.resumeAll()
        _ = life.runtime.run(limit: .milliseconds(240)) { life.pool.snapshots.allSatisfy { !$0.entry.state.isAlive } }
        life.runtime.halt()
        disk.kill()
        #expect(disk.names(in: "/d") == ["file", "file.pawl"])
        let next = try Life(disk, seed: 2, now: life.runtime.now + .seconds(1)) { _ in }
        next.pool.remove(try #require(next.pool.ids.first), deletesFiles: false)
        _ = next.runtime.run(limit: .seconds(2)) { false }
        #expect(disk.names(in: "/d") == ["file"])
        #expect(disk.contents(of: "/d/file") == Self.bytes)
        next.runtime.halt()
    }

    @Test func `another download's file of the same name is not taken for the download's own`() throws {
        let disk = disk(hasMarks: true, seed: 1)
        let life = try Life(disk, seed: 1, now: .zero) { _ in }
        try add(to: life.pool, named: "file")
        guard case .completed? = life.settle() else {
            Issue.record("not completed")
            return
        }
        _ = life.runtime.run(limit: .seconds(2)) { false }
        life.runtime.halt()
        disk.kill()
        // Another download to the same target, after the first is done: the completion marker there belongs to the
        // first.
        let next = try Life(disk, seed: 2, now: life.runtime.now + .seconds(1)) { _ in }
        try add(to: next.pool, named: "file")
        _ = next.runtime.run(limit: .seconds(60)) { next.pool.counts.running == 0 }
        let states = next.pool.snapshots.map(\.entry.state)
        #expect(states.contains { if case .failed(let error) = $0 { error.code == .fileExists } else { false } })
    }
}
