import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Files that changed just before they were served, and links that lead elsewhere.
@Suite struct `B2 Recent changes, moved links and digests` {
    static let content = FileBehaviour.pattern(count: 300_000)
    static let other = FileBehaviour.pattern(count: 300_000, seed: 2)

    /// A file modified in the second in which it is served.
    private static func recent(_ content: [UInt8], tag: String = "\"v1\"", date: String? = Served.now) -> Served {
        var served = Served(content, tag: tag, lastModified: date == nil ? Served.justNow : Served.now)
        served.date = date
        return served
    }

    private static func journalDate(_ record: inout JournalRecord) {
        record.representation.lastModified = Served.now
        record.representation.date = Served.now
    }

    @Test
    func
        `V08 a file begun within two seconds of its modification is not resumed in a later run unless a digest is known`()
        async throws
    {
        let trial = try Trial(Self.content) { request, connection in
            try Self.recent(Self.content).answer(request, connection)
        }
        try trial.leave(durable: 0..<100_000) { Self.journalDate(&$0) }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.ranges == ["bytes=0-"])

        let known = try Trial(Self.content) { request, connection in
            try Self.recent(Self.content).answer(request, connection)
        }
        try known.leave(durable: 0..<100_000) { Self.journalDate(&$0) }
        let resumed = try await known.runAlone { $0.settings.digest = `B2 Changing files`.digest(Self.content) }
        resumed.expectWhole(Self.content, verified: true)
        #expect(resumed.ranges == ["bytes=100000-299999"])
    }

    /// The other version has the same tag, date and length, as nginx gives it.
    @Test(arguments: [Served.now, "Fri, 01 May 2026 11:59:58 GMT", nil])
    func `V19 bytes of two versions of a file replaced within one second are never mixed`(_ date: String?) async throws
    {
        for connections in [1, 8] {
            let trial = try Trial(Self.content) { request, connection in
                let isFirst = request.number == 1
                // Slow enough for a second connection to be tried.
                guard isFirst, connections > 1 else {
                    return try Self.recent(isFirst ? Self.content : Self.other, date: date)
                        .answer(request, connection, cut: isFirst ? 100_000 : .max)
                }
                try connection.send(Self.recent(Self.content, date: date).wholePartHead)
                for start in stride(from: 0, to: Self.content.count, by: 10_000) {
                    try connection.sendBody(Self.content[start..<start + 10_000])
                    try connection.sleep(.milliseconds(20))
                }
            }
            let after = try await trial.run {
                $0.settings.maximumConnections = connections
                $0.settings.smallestPiece = 4096
            }
            after.expectWhole(connections == 1 ? Self.other : Self.content)
            #expect(after.sent("If-Range").allSatisfy { $0 == "-" })
            #expect(after.reports.contains(.recentlyModified) == (connections > 1))
        }
    }

    @Test func `V08 after a break soon after a modification, the next try waits until its response can be resumed`()
        async throws
    {
        let later = "Fri, 01 May 2026 12:00:05 GMT"
        let trial = try Trial(Self.content) { request, connection in
            switch request.number {
            case 1: try Self.recent(Self.content).answer(request, connection, cut: 100_000)
            case 2: try Self.recent(Self.content, date: later).answer(request, connection, cut: 200_000)
            default: try Self.recent(Self.content, date: later).answer(request, connection)
            }
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.took >= .seconds(3))
        #expect(after.ranges.prefix(2) == ["bytes=0-", "bytes=0-"])
        #expect(after.ranges.count == 3 && after.ranges.last != "bytes=0-")
        #expect(after.sent("If-Range") == ["-", "-", "\"v1\""])
    }

    // MARK: Where links lead

    @Test func `V15 bytes from the same path on two servers are never mixed`() async throws {
        var changed = Self.content
        changed[299_999] ^= 1
        let mirror = try ScriptedServer(file: FileBehaviour(content: changed))
        defer { mirror.stop() }
        let elsewhere = mirror.url("/file.bin")
        for tag in ["\"v2\"", nil] as [String?] {
            let trial = try Trial(Self.content) { _, connection in try connection.redirect(elsewhere) }
            try trial.leave(durable: 0..<300_000, entityTag: tag, lastModified: nil) {
                $0.durable.remove(ByteRange(200_000..<300_000))
                $0.representation.entityTag = tag.flatMap(EntityTag.init(parsing:))
            }
            let after = try await trial.runAlone()
            after.expectWhole(changed, beside: tag == nil ? [] : [Aftermath.orphan])
        }
    }

    @Test
    func
        `V15 a digest reveals that bytes with the same ETag and length came from different files, and the download fails`()
        async throws
    {
        var changed = Self.content
        changed[10] ^= 1
        let trial = try Trial(Self.content) { [changed] request, connection in
            try Served(request.number == 1 ? changed : Self.content).answer(
                request, connection, cut: request.number == 1 ? 100_000 : .max)
        }
        let after = try await trial.runAlone { $0.settings.digest = `B2 Changing files`.digest(Self.content) }
        // The tags agree, so another try is not expected to bring different bytes.
        after.expectFailure(.digestMismatch, of: Self.content)
        #expect(after.names == ["file.bin.part.bad"])
    }

    @Test
    func
        `V16 a link that leads to another file on resume is followed from its original URL, and no stored byte is reused`()
        async throws
    {
        let second = Served(Self.other, tag: "\"v2\"", lastModified: "Thu, 02 Jan 2020 00:00:00 GMT")
        let trial = try Trial(Self.content) { request, connection in
            if request.path == "/latest" {
                try connection.redirect("/1.1")
            } else {
                try second.answer(request, connection)
            }
        }
        // Bytes of version 1.0, to which the link led at the time.
        try trial.leave(durable: 0..<100_000, path: "/latest")
        let after = try await trial.runAlone(path: "/latest")
        after.expectWhole(Self.other, beside: [Aftermath.orphan])
        after.expectAside(Self.content[..<100_000])
        #expect(after.requests.first?.path == "/latest")
        #expect(after.requests.last?.path == "/1.1")
    }

    // MARK: Signed links

    @Test func `V18 a signed link is resumed without If-Range and with an overlap for comparison`() async throws {
        let query = "X-Amz-Signature=0a"
        let trial = try Trial(Self.content) { request, connection in
            // The signature covers the fields.
            if request.fields.first("If-Range") != nil { return try connection.reply(403) }
            try Served(Self.content).answer(request, connection)
        }
        try trial.leave(durable: 0..<100_000, path: "/file.bin?" + query)
        let after = try await trial.runAlone(path: "/file.bin?" + query)
        after.expectWhole(Self.content)
        #expect(after.ranges == ["bytes=95904-299999"])
        #expect(after.sent("If-Range") == ["-"])
        #expect(after.requests.first?.query == query, "as it was given")
    }

    @Test func `V18 a link without a signature is resumed with If-Range`() async throws {
        let trial = try Trial(Self.content)
        let path = "/file.bin?expires=1790000000"
        try trial.leave(durable: 0..<100_000, path: path)
        let after = try await trial.runAlone(path: path)
        after.expectWhole(Self.content)
        #expect(after.sent("If-Range") == ["\"v1\""])
    }

    @Test
    func `V18 a request refused with If-Range is retried without it, and If-Range is not sent to that host again`()
        async throws
    {
        let trial = try Trial(Self.content) { request, connection in
            if request.fields.first("If-Range") != nil { return try connection.reply(403) }
            try Served(Self.content).answer(request, connection, cut: request.number < 4 ? 60_000 : .max)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.sent("If-Range").filter { $0 != "-" } == ["\"v1\""])
        after.expectCost(requests: 5)
    }

    @Test func `V19 parts of a recently modified file are refused as such, and not as unsupported ranges`() async throws
    {
        let content = FileBehaviour.pattern(count: 17 << 20)
        let trial = try Trial(content) { request, connection in
            var served = Served(content, lastModified: "Fri, 01 May 2026 11:59:59 GMT")
            served.date = "Fri, 01 May 2026 12:00:00 GMT"
            try served.answer(request, connection)
        }
        let after = try await trial.run { $0.settings.ranges = try? RangeSelection(parsing: "0-99,17000000-17000099") }
        #expect(after.error?.code == .changed && after.error?.message.contains("modified so recently") == true)
        #expect(after.error?.recovery == .retryAfter(.seconds(2)))
        #expect(after.names.isEmpty)
    }
}
