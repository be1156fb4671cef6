import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct SessionFileTests {
    private func record(_ number: UInt64, _ text: String) -> SessionRecord {
        SessionRecord(id: DownloadID(number), bytes: Array(text.utf8))
    }

    private func session(_ disk: SimulatedDisk) -> SessionFile { SessionFile(disk, directory: "/s", name: "session") }

    private func disk(_ seed: UInt64 = 1) -> SimulatedDisk {
        let disk = SimulatedDisk(seed: seed)
        disk.makeDirectory("/s")
        return disk
    }

    @Test func `saved records are loaded, without the removed ones`() throws {
        let disk = disk()
        let file = session(disk)
        #expect(try file.load().isEmpty)
        try file.save([.put(record(1, "one")), .put(record(2, "two"))])
        try file.save([.put(record(1, "uno")), .remove(DownloadID(2)), .put(record(3, ""))])
        file.close()
        #expect(try session(disk).load() == [record(1, "uno"), record(3, "")])
    }

    @Test func `a session in use is refused to a second process`() throws {
        let disk = disk()
        let file = session(disk)
        _ = try file.load()
        try file.save([.put(record(1, "one"))])
        let error = #expect(throws: DownloadError.self) { try session(disk).load() }
        #expect(error?.code == .locked)
    }

    /// After a power cut or a kill at any call, the loaded state is the one before the interrupted save, or the one
    /// after it.
    @Test(arguments: [true, false], 0..<6 as Range<UInt64>)
    func `a crash at any call leaves the old session or the new one`(isPowerCut: Bool, seed: UInt64) throws {
        for operations in 1..<200 {
            let disk = disk(seed)
            var states: [[SessionRecord]] = [[]]
            var saved = 0
            let file = session(disk)
            _ = try file.load()
            disk.stopAfter(operations: operations)
            var isCut = false
            for step in 1...6 {
                let now = (1...UInt64(step)).map { record($0, "state \(step)") }
                states.append(now)
                do {
                    try file.save(now.map { .put($0) })
                    saved = step
                } catch {
                    isCut = true
                    break
                }
            }
            if isPowerCut { disk.crash() } else { disk.kill() }
            let loaded = try session(disk).load()
            #expect(loaded == states[saved] || (isCut && loaded == states[saved + 1]), "after \(operations) operations")
            disk.kill()
            if !isCut { return }
        }
        Issue.record("it never came to the end")
    }

    @Test(arguments: [SimulatedDisk.Operation.write, .sync, .rename, .directorySync, .create])
    func `a failed call loses nothing, and the next save writes everything`(operation: SimulatedDisk.Operation) throws {
        for call in 1...6 {
            let disk = disk()
            let file = session(disk)
            _ = try file.load()
            disk.faults = .failing(operation, call: call, with: .inputOutput)
            var pending: [SessionChange] = []
            for step in 1...4 as ClosedRange<UInt64> {
                pending.append(.put(record(step, "\(step)")))
                if (try? file.save(pending)) != nil { pending = [] }
            }
            disk.faults = FaultPlan()
            if !pending.isEmpty { try file.save(pending) }
            disk.crash()
            #expect(try session(disk).load().map(\.id.number) == [1, 2, 3, 4], "\(operation) \(call)")
        }
    }

    /// The second failure hits the new file that the first one caused, even after that file has replaced the old one.
    @Test(arguments: [SimulatedDisk.Operation.write, .sync, .rename, .directorySync, .create])
    func `after a second failure nothing is lost, and the session stays locked`(
        operation: SimulatedDisk.Operation
    ) throws {
        for call in 1...14 {
            let disk = disk()
            let file = session(disk)
            _ = try file.load()
            try file.save([.put(record(1, "one"))])
            disk.faults = .failing(.write, with: .inputOutput)
            #expect(throws: DownloadError.self) { try file.save([.put(record(2, "two"))]) }
            disk.faults = .failing(operation, call: call, with: .inputOutput)
            let isSaved = (try? file.save([.put(record(2, "two"))])) != nil
            disk.faults = FaultPlan()
            let error = #expect(throws: DownloadError.self) { try session(disk).load() }
            #expect(error?.code == .locked, "\(operation) \(call)")
            if !isSaved { try file.save([.put(record(2, "two"))]) }
            disk.crash()
            #expect(try session(disk).load() == [record(1, "one"), record(2, "two")], "\(operation) \(call)")
        }
    }

    @Test func `damage anywhere in a session is an error, and the file stays unchanged`() throws {
        let disk = disk()
        let file = session(disk)
        _ = try file.load()
        try file.save((1...3).map { .put(record($0, "record \($0)")) })
        try file.save([.put(record(4, "four"))])
        file.close()
        let whole = try #require(disk.contents(of: "/s/session"))
        let places = [0, 9, 17, 4096, 4100, 4110, 4125, whole.count - 1]
        for place in places {
            var bytes = whole
            bytes[place] ^= 0x40
            disk.install("/s/session", bytes)
            let error = #expect(throws: DownloadError.self) { try session(disk).load() }
            #expect(error?.code == .journal, "byte \(place)")
            #expect(disk.contents(of: "/s/session") == bytes)
        }
        for length in [0, 10, 1000, 4096, whole.count - 1] {
            disk.install("/s/session", Array(whole[..<length]))
            let error = #expect(throws: DownloadError.self) { try session(disk).load() }
            #expect(error?.code == .journal, "cut to \(length)")
            guard length >= 4096 else { continue }
            let message = try #require(error?.message)
            #expect(message.hasPrefix("The session “/s/session” is truncated: "), "\(message)")
            #expect(message.contains("it has \(length). It was left unchanged. Restore a good copy, or "), "\(message)")
        }
    }

    @Test func `of many changes, only the current records are kept in the file`() throws {
        let disk = disk()
        let file = session(disk)
        _ = try file.load()
        let text = String(repeating: "x", count: 10_000)
        for turn in 0..<400 { try file.save([.put(record(1, text + "\(turn)")), .put(record(2, "two"))]) }
        file.close()
        #expect(try #require(disk.contents(of: "/s/session")).count < 2 << 20)
        #expect(try session(disk).load() == [record(1, text + "399"), record(2, "two")])
    }

    @Test func `lessons about hosts are kept, and a damaged file counts as empty`() throws {
        let disk = disk()
        let file = HostMemoryFile(disk, directory: "/s", name: "hosts")
        let url = try HTTPURL(parsing: "https://user:secret@a.example/path?token=secret")
        var memory = HostMemory()
        memory.learn(.connectionCap(3), of: url, at: .zero, wallClock: 1000)
        memory.learn(.rangesWrong, of: url, at: .zero, wallClock: 1000)
        memory.learn(.refusesIfRange, of: url, at: .zero, wallClock: 1000)
        memory.learn(.busy(until: .zero + .seconds(50)), of: url, at: .zero, wallClock: 1000)
        file.save(memory, wallClock: 1000, random: 1)
        let hints = file.load(wallClock: 1010).hints(for: url, at: .zero, wallClock: 1010)
        #expect(hints.connectionCap == 4 && hints.borne == 3 && hints.distrustsRanges && hints.refusesIfRange)
        #expect(hints.rest?.until == .zero + .seconds(40))
        #expect(file.load(wallClock: 1000 + 8 * 86_400).hosts.isEmpty)
        let bytes = try #require(disk.contents(of: "/s/hosts"))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1
            disk.install("/s/hosts", damaged)
            #expect(file.load(wallClock: 1010).hosts.isEmpty)
        }
    }

    @Test func `an entry survives encoding and decoding in every state`() throws {
        let plain = DownloadError(.refused, "busy", recovery: .retryAfter(.seconds(9)))
        let error = DownloadError(
            .init(rawValue: "fromLater"), "busy", remedies: [.tryLater, .init(rawValue: "fromLater")],
            recovery: .giveUp,
            facts: .init(status: 503, host: "a", size: 9, limit: 7))
        var facts = FinishedFacts(fileName: "f", byteCount: 7, finalURL: "http://a/…")
        facts.entityTag = "\"x\""
        facts.isVerified = true
        var traced = facts
        traced.trace = FileTrace(nil, modified: -5)
        let states: [QueueEntry.State] = [
            .queued, .running, .paused, .waiting(.backOff(until: .zero + .seconds(30), error)),
            .waiting(.diskFull(error)),
            .waiting(.credentials), .completed(facts), .completed(traced), .failed(error), .failed(plain),
            .failed(.nameTaken(by: .symbolicLink, "a link", remedies: [.chooseName])),
        ]
        for state in states {
            var entry = QueueEntry(
                id: DownloadID(5), url: "http://a/b", host: "", directory: "/d", fileName: "ü", target: 0, priority: -3)
            entry.state = state
            entry.position = -12
            entry.total = 99
            entry.stored = 3
            entry.failures = 4
            entry.identityHash = state == .paused ? nil : [7, 8, 9]
            let stored = StoredDownload(entry: entry, options: [StoredOption("a", "b")], lacksSecrets: true)
            let record = SessionCoding.encode(stored, at: .zero, wallClock: 1000)
            #expect(SessionCoding.decode(record, at: .zero, wallClock: 1000) == stored)
            for count in record.bytes.indices {
                let cut = SessionRecord(id: record.id, bytes: Array(record.bytes[..<count]))
                #expect(SessionCoding.decode(cut, at: .zero, wallClock: 1000) == nil)
            }
        }
    }
}
