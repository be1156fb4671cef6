import Pawl
import PawlCore
import PawlTestKit
import Testing

/// Which validators permit joining bytes of two answers.
@Suite struct `B2 Validators` {
    static let content = FileBehaviour.pattern(count: 300_000)
    static let other = FileBehaviour.pattern(count: 300_000, seed: 2)

    /// Serves `served`, cut after 100,000 bytes, to the first request; `script` answers the others.
    private func cutOnce(_ served: Served, _ script: @escaping ScriptedServer.Script) throws -> Trial {
        try Trial(Self.content) { request, connection in
            if request.number == 1 {
                try served.answer(request, connection, cut: 100_000)
            } else {
                try script(request, connection)
            }
        }
    }

    private func cutOnce(_ served: Served) throws -> Trial {
        try cutOnce(served) { request, connection in try served.answer(request, connection) }
    }

    @Test func `V05 a weak ETag is never sent in If-Range; an old enough date is sent in If-Unmodified-Since instead`()
        async throws
    {
        let after = try await cutOnce(Served(Self.content, tag: "W/\"x\"")).runAlone()
        after.expectWhole(Self.content)
        #expect(after.sent("If-Range") == ["-", "-"])
        #expect(after.sent("If-Unmodified-Since") == ["-", Served.oldDate])
        #expect(after.ranges == ["bytes=0-", "bytes=95904-299999"], "with an overlap")
    }

    @Test func `V05 with only a weak ETag, a broken download restarts from zero, but resumes if a digest is known`()
        async throws
    {
        let weak = Served(Self.content, tag: "W/\"x\"", lastModified: nil)
        let anew = try await cutOnce(weak).runAlone()
        anew.expectWhole(Self.content)
        #expect(anew.ranges.allSatisfy { $0.hasPrefix("bytes=0-") } && anew.ranges.count > 1)
        let digest = `B2 Changing files`.digest(Self.content)
        let gone = try await cutOnce(weak).runAlone { $0.settings.digest = digest }
        gone.expectWhole(Self.content, verified: true)
        #expect(gone.ranges == ["bytes=0-", "bytes=100000-299999"])
        #expect(gone.sent("If-Range") == ["-", "-"])
    }

    @Test func `V06 a changed file from a server that ignores preconditions is detected by the validators of its 206`()
        async throws
    {
        let new = Served(Self.other, tag: "\"v2\"", lastModified: "Thu, 02 Jan 2020 00:00:00 GMT")
        let trial = try cutOnce(Served(Self.content)) { request, connection in
            try new.answer(request, connection, ignoringConditions: true)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.other, beside: [Aftermath.orphan])
        after.expectAside(Self.content[..<100_000])
    }

    @Test func `V07 a 200 with the same ETag in answer to If-Range is retried without If-Range`() async throws {
        let served = Served(Self.content)
        let trial = try cutOnce(served) { request, connection in
            if request.fields.first("If-Range") != nil {
                try served.whole(connection)
            } else {
                try served.answer(request, connection)
            }
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.ranges == ["bytes=0-", "bytes=95904-299999", "bytes=95904-299999"])
        #expect(after.sent("If-Range") == ["-", "\"v1\"", "-"])
    }

    @Test(arguments: [206, 200])
    func `V09 R25 a response with a new content coding under the same ETag is never mixed in`(
        _ status: Int
    ) async throws {
        let plain = Served(Self.content)
        var coded = Served(Self.other)
        coded.lines = ["Content-Encoding: gzip"]
        let trial = try cutOnce(plain) { [coded] request, connection in
            if request.number > 3 { return try plain.answer(request, connection) }
            if status == 206 { try coded.answer(request, connection) } else { try coded.whole(connection) }
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        after.expectCost(requests: 5)
        #expect(after.sent("Accept-Encoding").allSatisfy { $0 == "identity" })
    }

    // MARK: Dates

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:01 GMT", Served.now), (Served.justNow, nil),
        ] as [(String, String?)])
    func `V11 V12 a Last-Modified that proves nothing is never sent back, and a break restarts the download`(
        _ modified: String, _ date: String?
    ) async throws {
        var served = Served(Self.content, tag: nil, lastModified: modified)
        served.date = date
        let after = try await cutOnce(served).runAlone()
        after.expectWhole(Self.content)
        #expect(after.ranges == ["bytes=0-", "bytes=0-"])
        #expect(after.sent("If-Range") + after.sent("If-Unmodified-Since") == ["-", "-", "-", "-"])
    }

    @Test(
        arguments: [
            ("\"v1\"", nil), (nil, nil), ("\"v1\"", "now"), (nil, "now"), ("\"v1\"", "Thu, 01 Jan 1970 00:00:07 GMT"),
        ] as [(String?, String?)])
    func `V26 a file modified long ago is resumed in the same run and in the next if its server tells no time`(
        _ tag: String?, _ date: String?
    ) async throws {
        var served = Served(Self.content, tag: tag)
        served.date = date
        let trial = try Trial(Self.content) { [served] request, connection in
            try served.answer(request, connection, cut: request.number < 3 ? 100_000 : nil)
        }
        // Without retries, the first of the two cut connections ends the first run.
        let first = try await trial.runAlone { $0.settings.maximumRetries = 0 }
        #expect(first.error != nil)
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.ranges.count == 2 && !after.ranges.contains("bytes=0-"), "\(after.ranges)")
        #expect(after.sent("If-Range") == [tag ?? Served.oldDate, tag ?? Served.oldDate])
    }

    @Test(arguments: ["Fri, 01 May 2026 11:59:00 GMT", "Friday, 01-May-26 11:00:00 GMT", "Fri May  1 11:00:00 2026"])
    func `V12 a Last-Modified at least a minute old is sent back in If-Range byte for byte`(
        _ modified: String
    ) async throws {
        let after = try await cutOnce(Served(Self.content, tag: nil, lastModified: modified)).runAlone()
        after.expectWhole(Self.content)
        let raw = String(decoding: try #require(after.requests.last).raw, as: UTF8.self)
        #expect(raw.contains("\r\nIf-Range: \(modified)\r\n"))
        #expect(after.ranges == ["bytes=0-", "bytes=95904-299999"])
    }

    @Test(arguments: [nil, "W/\"w\""] as [String?])
    func `V13 without a strong validator, a new run restarts from zero and drops the old bytes once it has more`(
        _ tag: String?
    ) async throws {
        let trial = try Trial(Self.content) { request, connection in
            // The first answer is cut before it has passed the bytes of the earlier run.
            let cut = request.number == 1 ? 50_000 : Int.max
            try Served(Self.content, tag: tag, lastModified: nil).answer(request, connection, cut: cut)
        }
        try trial.leave(durable: 0..<100_000, entityTag: tag, lastModified: nil)
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.ranges == ["bytes=0-", "bytes=0-"])
        #expect(after.reports.contains(.startedOver(keeping: .untilPassed)))
    }

    @Test func `V13 if a restarted download fails before it has as many bytes, the old ones stay set aside`()
        async throws
    {
        let trial = try Trial(Self.content) { request, connection in
            if request.number > 1 { return try connection.reply(404) }
            try Served(Self.content, tag: nil, lastModified: nil).answer(request, connection, cut: 50_000)
        }
        try trial.leave(durable: 0..<100_000, entityTag: nil, lastModified: nil)
        let after = try await trial.runAlone()
        after.expectFailure(.notFound, of: Self.content)
        after.expectAside(Self.content[..<100_000])
    }

    @Test func `V14 a 206 without the Last-Modified of the first response does not mean a change`() async throws {
        let trial = try cutOnce(Served(Self.content)) { request, connection in
            try Served(Self.content, lastModified: nil).answer(request, connection, ignoringConditions: true)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.sent("If-Range") == ["-", "\"v1\""])
        after.expectCost(requests: 2)
    }

    @Test(arguments: ["\"v1\"", nil])
    func `V22 a 206 without ETag and Last-Modified is not joined to stored bytes, and the file is restarted`(
        _ tag: String?
    ) async throws {
        let trial = try cutOnce(Served(Self.content, tag: tag)) { request, connection in
            try Served(Self.other, tag: nil, lastModified: nil).answer(request, connection, ignoringConditions: true)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.other)
        #expect(after.sent("If-Range")[1] == tag ?? Served.oldDate)
        after.expectCost(requests: 8)
    }

    @Test func `V19 a file completes although a cache answers with a Date from the second after its modification`()
        async throws
    {
        let kept = Served(Self.content, lastModified: Served.oldDate)
        let trial = try cutOnce(kept) { request, connection in
            var kept = kept
            kept.date = "Wed, 01 Jan 2020 00:00:01 GMT"
            try kept.answer(request, connection)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        after.expectCost(requests: 8)
    }

    @Test func `L21 a web page without the file's validators never replaces a file that was begun, whatever its name`()
        async throws
    {
        let trial = try cutOnce(Served(Self.content)) { _, connection in
            try connection.reply(200, ["Content-Type: text/html"], body: Array("<html>Log in</html>".utf8)[...])
        }
        let after = try await trial.runAlone(path: "/dl?id=3") { $0.fileName = "dl" }
        #expect(after.error != nil && after.files["dl"] == nil)
        #expect(after.files["dl.part"]?.prefix(100_000) == Self.content.prefix(100_000))
    }
}
