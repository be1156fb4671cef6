import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// The contents of the files in `Sessions`. Version 1 of the format wrote them, and they must stay readable for ever: a
/// later version adds files of its own, and changes none of these.
enum SessionFixture {
    static let now = Instant.zero
    static let wallClock: Int64 = 1_700_000_000

    private static let error = DownloadError(
        .refused, "host.example is too busy (503).", recovery: .retryAfter(.seconds(9)))

    private static let states: [QueueEntry.State] = {
        var facts = FinishedFacts(
            fileName: "ü (1).iso", byteCount: 7_000_000_000, finalURL: "https://cdn.example/disk.iso?sig=…")
        facts.isVerified = true
        facts.resumedFrom = 1 << 20
        facts.entityTag = "\"x\""
        facts.lastModified = "Sat, 01 Jan 2022 00:00:00 GMT"
        facts.contentCoding = "gzip"
        facts.sources = ["https://host.example/disk.iso", "https://mirror.example/disk.iso"]
        var skipped = FinishedFacts(fileName: "f", byteCount: 0, finalURL: "")
        skipped.isComplete = false
        skipped.skipReason = .notNewer
        return [
            .queued, .running, .paused, .waiting(.backOff(until: now + .seconds(30), error)),
            .waiting(.diskFull(error)),
            .waiting(.credentials), .completed(facts), .completed(skipped), .failed(error),
        ]
    }()

    private static let options = [
        ("digest-only", "true"), ("user-agent", ""), ("referer", "https://page.example/p"), ("connections", "3"),
        ("digest", "sha-256:" + String(repeating: "0a", count: 32)), ("mirror", "3 de https://m.example/f"),
        ("mirror", "999999 - https://n.example/f"), ("location", "at"),
        ("pieces", "sha-1 1000 " + String(repeating: "1f", count: 60)),
        ("size", "2500"), ("server-mirrors", "true"), ("maximum-size", "1099511627776"), ("web-page", "true"),
        ("rate", "77"),
        ("ranges", "0-499,500-,-500"), ("sparse", "true"), ("stream-window", "5242880"), ("on-change", "fail"),
        ("if-exists", "rename"), ("insecure-redirect", "true"), ("stall-timeout", "1500000000"),
        ("response-timeout", "7000000000"), ("maximum-time", "3600000000000"), ("remote-time", "true"),
        ("records-origin", "true"),
    ].map { StoredOption($0.0, $0.1) }

    static let downloads: [StoredDownload] = states.enumerated().map { number, state in
        var entry = QueueEntry(
            id: DownloadID(UInt64(number + 1)), url: "https://host.example/disk.iso?n=\(number)", host: "",
            directory: "/d/Ö",
            fileName: number == 0 ? nil : "name \(number)", target: 0, priority: Int32(number - 3))
        entry.state = state
        entry.position = Int64(number - 4) << 20
        entry.since = wallClock - 60
        entry.total = number == 1 ? -1 : 99_000
        entry.stored = Int64(number) * 1000
        entry.failures = 4
        entry.retries = 2
        entry.markerNumber = 0x0123_4567_89AB_CDEF
        entry.renamesTaken = number == 2
        return StoredDownload(entry: entry, options: number == 1 ? options : [], lacksSecrets: number == 5)
    }

    static var changes: [SessionChange] {
        downloads.map { .put(SessionCoding.encode($0, at: now, wallClock: wallClock)) }
            + [.put(SessionRecord(id: DownloadID(99), bytes: []))]
    }

    static let memory: HostMemory = {
        var facts = HostMemory.Facts()
        facts.connectionCap = .init(3, learned: wallClock)
        facts.distrustsRanges = .init(true, learned: wallClock)
        facts.refusesIfRange = .init(false, learned: wallClock - 5)
        facts.busyUntil = .init(wallClock + 60, learned: wallClock)
        return HostMemory([
            "https://host.example:443": facts,
            "http://[::1]:8080": HostMemory.Facts(connectionCap: 7, learned: wallClock),
        ])
    }()
}

extension HostMemory.Facts {
    fileprivate init(connectionCap: Int, learned: Int64) {
        self.init()
        self.connectionCap = .init(connectionCap, learned: learned)
    }
}

@Suite("Session files of older formats")
struct SessionFixtureTests {
    private static func file(_ name: String, path: String = #filePath) throws -> [UInt8] {
        try Files.read(
            path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
                + "/Sessions/" + name)
    }

    @Test func `a version 1 session is read as it was written`() throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/s")
        disk.install("/s/session", try Self.file("version-1.session"))
        let session = SessionFile(disk, directory: "/s", name: "session")
        let records = try session.load()
        let found = records.map {
            SessionCoding.decode($0, at: SessionFixture.now, wallClock: SessionFixture.wallClock)
        }
        #expect(found == SessionFixture.downloads)
        // The session can also be continued.
        try session.save([.remove(DownloadID(1))])
        session.close()
        #expect(try SessionFile(disk, directory: "/s", name: "session").load().count == records.count - 1)
    }

    @Test func `a version 1 host memory is read as it was written`() throws {
        #expect(HostMemoryCoding.decode(try Self.file("version-1.hosts")) == SessionFixture.memory)
    }
}
