import PawlCore
@testable import PawlEngine
import PawlTestKit
import Testing

@Suite("Removing a download's files")
struct FileRemovalTests {
    private func entry(_ name: String, markerNumber: UInt64) -> QueueEntry {
        var entry = QueueEntry(
            id: DownloadID(1), url: "http://a.example/x", host: "a.example:80", directory: "/d", fileName: "x",
            target: 1)
        entry.markerNumber = markerNumber
        entry.state = .completed(FinishedFacts(fileName: name, byteCount: 3, finalURL: "http://a.example/x"))
        return entry
    }

    /// The marker of the file, that of the entry, and whether the file is removed.
    @Test(
        arguments: [
            ("a 3 c", 0xa, true), ("b 3 c", 0xa, false), ("what?", 0xa, false), (nil, 0xa, false), ("b 3 c", 0, false),
            (nil, 0, false),
        ] as [(String?, UInt64, Bool)])
    func `a finished file is removed if it carries the download's completion marker`(
        carried: String?, markerNumber: UInt64, goes: Bool
    ) throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        disk.install("/d/x", [1, 2, 3])
        if let carried {
            let file = try disk.openDirectory("/d").open("x", writable: true)
            _ = try file.setAttribute(CompletionMarker.attributeName, to: Array(carried.utf8))
            try file.close()
        }
        FileRemoval(disk).remove(entry("x", markerNumber: markerNumber), nil)
        #expect(disk.names(in: "/d") == (goes ? [] : ["x"]))
    }

    @Test(arguments: [true, false])
    func `D34 without completion markers, a finished file is removed only if it is the very file that was left`(
        hasTrace: Bool
    ) throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        disk.features.hasMarks = false
        disk.install("/d/x", [1, 2, 3])
        let status = try #require(try disk.openDirectory("/d").status("x"))
        var entry = entry("x", markerNumber: 0xa)
        var facts = FinishedFacts(fileName: "x", byteCount: 3, finalURL: "http://a.example/x")
        if hasTrace {
            facts.trace = FileTrace(
                .init(device: status.identity.device, inode: status.identity.inode), modified: status.modified)
        }
        entry.state = .completed(facts)
        FileRemoval(disk).remove(entry, nil)
        #expect(disk.names(in: "/d") == (hasTrace ? [] : ["x"]))
        disk.install("/d/x", [4, 5, 6])
        FileRemoval(disk).remove(entry, nil)
        #expect(disk.names(in: "/d") == ["x"])
    }

    private func install(marked marker: String, modified: Int64 = 1000, on disk: SimulatedDisk) throws {
        disk.makeDirectory("/d")
        disk.install("/d/x", [1, 2, 3])
        let file = try disk.openDirectory("/d").open("x", writable: true)
        _ = try file.setAttribute(CompletionMarker.attributeName, to: Array(marker.utf8))
        try file.setModified(modified)
        try file.close()
    }

    @Test(arguments: [true, false])
    func `D24 a finished file that its user has changed is kept after a restart, too`(isChanged: Bool) throws {
        let disk = SimulatedDisk(seed: 1)
        try install(marked: "a 3 c", on: disk)
        let status = try #require(try disk.openDirectory("/d").status("x"))
        var facts = FinishedFacts(fileName: "x", byteCount: 3, finalURL: "http://a.example/x")
        facts.trace = FileTrace(
            .init(device: status.identity.device, inode: status.identity.inode), modified: status.modified)
        var entry = entry("x", markerNumber: 0xa)
        entry.state = .completed(facts)
        let stored = StoredDownload(entry: entry, options: [], lacksSecrets: false)
        let record = SessionCoding.encode(stored, at: .zero, wallClock: 2000)
        let restored = try #require(SessionCoding.decode(record, at: .zero, wallClock: 2000)).entry
        if isChanged { try install(marked: "a 3 c", modified: 1500, on: disk) }
        FileRemoval(disk).remove(restored, nil)
        #expect(disk.names(in: "/d") == (isChanged ? ["x"] : []))
    }

    @Test(arguments: [true, false])
    func `D40 the finished file of a failed download is kept once its user has changed it`(isChanged: Bool) throws {
        let disk = SimulatedDisk(seed: 1)
        try install(marked: "a 3 c", modified: isChanged ? 1500 : 1000, on: disk)
        var entry = entry("x", markerNumber: 0xa)
        entry.since = 1000
        entry.state = .failed(DownloadError(.diskError, "no sync", recovery: .giveUp))
        FileRemoval(disk).remove(entry, DownloadSettings(url: entry.url))
        #expect(disk.names(in: "/d") == (isChanged ? ["x"] : []))
    }

    @Test(arguments: [0, 0xb] as [UInt64])
    func `D24 a file that another run finished from a failed download's bytes is that run's`(next: UInt64) throws {
        var bench = try EngineBench(size: 400_000)
        bench.origin.bytesPerSecond = 20_000
        _ = bench.run(limit: .seconds(3))
        bench.disk.kill()
        let file = try bench.disk.openDirectory(EngineBench.directory).open("file.bin.part", writable: true)
        _ = try file.setAttribute(CompletionMarker.attributeName, to: Array("a 400000 c".utf8))
        try file.close()
        let run = bench.run { $0.markerNumber = next }
        #expect(run.outcome?.isComplete == true)
        var entry = QueueEntry(
            id: DownloadID(1), url: bench.settings.url, host: "", directory: EngineBench.directory,
            fileName: "file.bin", target: 1)
        (entry.markerNumber, entry.state) = (0xa, .failed(DownloadError(.diskError, "no sync", recovery: .giveUp)))
        entry.since = .max / 2
        FileRemoval(bench.disk).remove(entry, bench.settings)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    /// The second download replaces the first one's file with one of the same length.
    @Test(arguments: [true, false])
    func `D24 a finished file that replaced another download's file is removed only with its own download`(
        hasMarks: Bool
    ) throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        disk.features.hasMarks = hasMarks
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        let origin = SimulatedOrigin(versions: [
            .init(bytes: EngineBench.bytes(100, 1), entityTag: "\"1\"", lastModified: "")
        ])
        let ports = Ports(
            transport: SimulatedHosts(["a.example:80": origin], runtime: runtime), storage: disk, runtime: runtime,
            digests: SimulatedDigests())
        // This pool has no session.
        let pool = DownloadPool(
            ports: ports, runner: SimulatedRunner(ports) { $0.ifExists = .replace }, limits: QueueMachine.Limits())
        let ids = try ["1", "2"].map { query in
            let url = try HTTPURL(parsing: "http://a.example/x?\(query)")
            let added = pool.add(Plan(url, in: "/d", named: "x"), target: 7)
            _ = runtime.run(limit: .seconds(60)) { pool.snapshots.allSatisfy { !$0.entry.state.isAlive } }
            guard case .new(let id) = added, case .completed? = pool.entry(id)?.state else { throw CancellationError() }
            return id
        }
        pool.remove(ids[0], deletesFiles: true)
        _ = runtime.run(limit: .seconds(1)) { false }
        #expect(disk.names(in: "/d") == ["x"])
        pool.remove(ids[1], deletesFiles: true)
        _ = runtime.run(limit: .seconds(1)) { false }
        #expect(disk.names(in: "/d") == [])
    }

    /// The foreign file has the name and the inode number of a partial file, but neither its mark nor its age.
    @Test(arguments: [true, false])
    func `D25 a foreign file with a partial file's name and inode number is not removed`(isTaken: Bool) throws {
        var bench = try EngineBench(size: 400_000)
        bench.origin.bytesPerSecond = 20_000
        (bench.disk.features.hasMarks, bench.disk.features.reusesInodes) = (false, true)
        _ = bench.run(limit: .seconds(3))
        bench.disk.kill()
        let path = EngineBench.target + ".part"
        let inode = bench.disk.items(in: EngineBench.directory).first { $0.name == "file.bin.part" }?.inode
        if isTaken {
            bench.disk.delete(path)
            bench.disk.install(path, [1, 2, 3])
        }
        #expect(bench.disk.items(in: EngineBench.directory).first { $0.name == "file.bin.part" }?.inode == inode)
        let entry = QueueEntry(
            id: DownloadID(1), url: bench.settings.url, host: "", directory: EngineBench.directory,
            fileName: "file.bin",
            target: 1)
        FileRemoval(bench.disk).remove(entry, bench.settings)
        #expect(bench.disk.names(in: EngineBench.directory) == (isTaken ? ["file.bin.part", "file.bin.pawl"] : []))
    }

    @Test func `D39 a file that was whole before it was adopted is not removed with the download`() throws {
        for hasMarks in [true, false] {
            var bench = try EngineBench()
            bench.disk.features.hasMarks = hasMarks
            bench.install("file.bin", bench.bytes)
            let run = bench.run { plan in
                plan.adoptsPartialFile = true
                plan.markerNumber = 0xa
            }
            #expect(run.outcome?.isComplete == true && bench.listing == ["file.bin": bench.bytes])
            var facts = FinishedFacts(fileName: "file.bin", byteCount: Int64(bench.bytes.count), finalURL: "")
            facts.trace = run.ending?.trace
            var entry = QueueEntry(
                id: DownloadID(1), url: bench.settings.url, host: "", directory: EngineBench.directory,
                fileName: "file.bin", target: 1)
            (entry.markerNumber, entry.state) = (0xa, .completed(facts))
            FileRemoval(bench.disk).remove(entry, bench.settings)
            #expect(bench.listing == ["file.bin": bench.bytes])
        }
    }

    @Test(arguments: [(0xa, true), (0xb, false), (0, false)] as [(UInt64, Bool)])
    func `D40 a download that failed behind its last step is removed with the file that it has finished`(
        markerNumber: UInt64, goes: Bool
    ) throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        disk.install("/d/x", [1, 2, 3])
        let file = try disk.openDirectory("/d").open("x", writable: true)
        _ = try file.setAttribute(CompletionMarker.attributeName, to: Array("a 3 c".utf8))
        try file.close()
        var entry = entry("x", markerNumber: markerNumber)
        entry.since = try #require(try disk.openDirectory("/d").status("x")).modified
        entry.state = .failed(DownloadError(.diskError, "no sync", recovery: .giveUp))
        FileRemoval(disk).remove(entry, DownloadSettings(url: entry.url))
        #expect(disk.names(in: "/d") == (goes ? [] : ["x"]))
    }

    @Test(arguments: [true, false], [0, 1 << 20])
    func `D37 a download that is stopped before its first byte leaves nothing on the disk`(
        hasMarks: Bool, largestHeld: Int64
    ) throws {
        var stopped = 0
        for moment in 0..<300 {
            var bench = try EngineBench(size: 400_000, seed: UInt64(moment))
            bench.largestHeldFile = largestHeld
            bench.disk.features.hasMarks = hasMarks
            bench.origin.bytesPerSecond = 20_000
            let run = bench.run(during: { driver, runtime in runtime.after(.milliseconds(moment)) { driver.pause() } })
            #expect(run.ending?.phase == .paused && bench.disk.openFileCount == 0)
            guard run.ending?.stored == 0 else { continue }
            stopped += run.requests.isEmpty ? 0 : 1
            #expect(bench.names == [], "after \(moment) ms")
        }
        #expect(stopped > 10)
    }

    @Test(arguments: ["../e/x", "/e/x", ".", "..", "", "x/", "e/\u{301}x"])
    func `a file name that leads elsewhere removes nothing`(name: String) throws {
        let disk = SimulatedDisk(seed: 1)
        for directory in ["/d", "/e", "/d/e"] { disk.makeDirectory(directory) }
        for file in ["/d/x", "/e/x"] { disk.install(file, [1, 2, 3]) }
        FileRemoval(disk).remove(entry(name, markerNumber: 0), nil)
        #expect(disk.contents(of: "/d/x") != nil && disk.contents(of: "/e/x") != nil)
    }
}
