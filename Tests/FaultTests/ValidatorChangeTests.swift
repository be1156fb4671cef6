import Pawl
import PawlCore
import PawlTestKit
import Testing

/// Files that change or seem to change, and nodes that disagree about a file.
@Suite struct `B2 Changing files` {
    static let old = FileBehaviour.pattern(count: 300_000)
    static let new = FileBehaviour.pattern(count: 300_000, seed: 2)

    static func digest(_ bytes: [UInt8]) -> Digest? {
        var digester = CryptoDigests().makeDigester(.sha256)
        bytes.withUnsafeBytes { digester.update($0) }
        return Digest(algorithm: .sha256, bytes: digester.finalize())
    }

    /// Serves the old file, cut after 100,000 bytes, and then `next`.
    private func trial(then next: Served) throws -> Trial {
        let first = Served(Self.old)
        return try Trial(Self.old) { request, connection in
            if request.number == 1 { try first.answer(request, connection, cut: 100_000) } else { try next.answer(request, connection) }
        }
    }

    @Test func `V01 a file replaced by one of the same length after the first bytes is begun anew, and what was held is kept aside`() async throws {
        let trial = try trial(then: Served(Self.new, tag: "\"v2\"", lastModified: "Thu, 02 Jan 2020 00:00:00 GMT"))
        let after = try await trial.runAlone()
        after.expectWhole(Self.new, beside: [Aftermath.orphan])
        after.expectAside(Self.old[..<100_000])
        #expect(after.reports.contains(.changed(.validator)))
        #expect(after.sent("If-Range").filter { $0 != "-" }.allSatisfy { $0 == "\"v1\"" })
        #expect(after.ranges.first == "bytes=0-" && after.ranges.last == "bytes=0-")
        #expect(after.requests.dropFirst().dropLast().allSatisfy { $0.fields.first("If-Range") == "\"v1\"" }, "on every range after the first")
        after.expectCost(requests: 6)
    }

    @Test func `V01 a file replaced between two runs is never mixed with the bytes held`() async throws {
        let trial = try Trial(Self.old) { $0.replacement = .init(afterRequests: 0, content: Self.new, etag: "\"v2\"") }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.runAlone()
        after.expectWhole(Self.new, beside: [Aftermath.orphan])
        after.expectAside(Self.old[..<100_000])
    }

    @Test func `V01 told to fail on a change, it fails as changed and leaves partial file and journal as they are`() async throws {
        let trial = try Trial(Self.old) { $0.replacement = .init(afterRequests: 0, content: Self.new, etag: "\"v2\"") }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.runAlone { $0.settings.onChange = .fail }
        let error = after.expectFailure(.changed, keeping: 100_000, of: Self.old)
        #expect(error?.remedies == [.restartOnChange])
        #expect(after.names == ["file.bin.part", "file.bin.pawl"])
        after.expectCost(requests: 4)
    }

    @Test(arguments: [("\"v2\"", 350_000), ("\"v2\"", 250_000), ("\"v1\"", 350_000), ("\"v1\"", 250_000)])
    func `V02 V03 R10 a file that grows or shrinks is another file, even under the same tag, and is never made longer in silence`(
        _ tag: String, _ count: Int
    ) async throws {
        let other = Array((Self.old + Self.new).prefix(count))
        let trial = try trial(then: Served(other, tag: tag, lastModified: "Thu, 02 Jan 2020 00:00:00 GMT"))
        let after = try await trial.runAlone()
        after.expectWhole(other, beside: [Aftermath.orphan])
        after.expectAside(Self.old[..<100_000])
        #expect(after.reports.contains(.changed(.total)))
        after.expectCost(requests: 6)
    }

    @Test func `V03 a 416 that names a smaller length is a changed file`() async throws {
        let short = Array(Self.old.prefix(80_000))
        let trial = try Trial(Self.old) { $0.replacement = .init(afterRequests: 0, content: short, etag: "\"v2\"") }
        try trial.leave(durable: 0..<100_000)
        let failed = try await trial.runAlone { $0.settings.onChange = .fail }
        failed.expectFailure(.changed, keeping: 100_000, of: Self.old)
        let after = try await trial.runAlone()
        after.expectWhole(short, beside: [Aftermath.orphan])
    }

    // MARK: V04

    /// Cuts every connection after 80,000 bytes. Odd requests go to one node, even requests to another with its own tag.
    private func nodes(_ lines: [String] = [], second: [UInt8] = old, until last: Int = .max) throws -> Trial {
        var (a, b) = (Served(Self.old, tag: "\"a\""), Served(second, tag: "\"b\""))
        (a.lines, b.lines) = (lines, lines)
        let (one, other) = (a, b)
        return try Trial(Self.old) { request, connection in
            let node = request.number % 2 == 0 && request.number <= last ? other : one
            try node.answer(request, connection, cut: 80_000)
        }
    }

    @Test func `V04 with a known digest, nodes that tag the same bytes differently are read on, and the digest decides`() async throws {
        let trial = try nodes()
        let after = try await trial.runAlone { $0.settings.digest = Self.digest(Self.old) }
        after.expectWhole(Self.old, verified: true)
        after.expectCost(requests: 7, bytes: 4 * 80_000 + 80_000)
    }

    @Test func `V04 where the digest says that two nodes do not have the same bytes, all of one is fetched`() async throws {
        let trial = try nodes(second: Self.new, until: 5)
        let after = try await trial.runAlone { $0.settings.digest = Self.digest(Self.old) }
        after.expectWhole(Self.old, verified: true)
        #expect(after.reports.contains(.changed(.digest)))
    }

    @Test func `V04 nodes that send the same Repr-Digest have the same bytes whatever their tags say`() async throws {
        let base64 = Base64.encode(try #require(Self.digest(Self.old)).bytes)
        let trial = try nodes(["Repr-Digest: sha-256=:\(base64):"])
        let after = try await trial.runAlone()
        after.expectWhole(Self.old, verified: true)
        #expect(!after.reports.contains(.changed(.validator)))
        after.expectCost(requests: 9)
    }

    @Test func `V04 without any digest the node that gave the tag is looked for again, and nothing is lost when it answers`() async throws {
        let trial = try nodes()
        let after = try await trial.runAlone()
        after.expectWhole(Self.old)
        #expect(!after.reports.contains(.changed(.validator)))
        after.expectCost(requests: 14, bytes: Self.old.count + 10 * 80_000)
    }

    @Test func `V04 where that node is gone, a new partial file is begun and the old one kept`() async throws {
        let trial = try trial(then: Served(Self.old, tag: "\"b\""))
        let after = try await trial.runAlone()
        after.expectWhole(Self.old, beside: [Aftermath.orphan])
        after.expectAside(Self.old[..<100_000])
        #expect(after.requests.count == 6, "asked once and three times more, then anew: \(after.ranges)")
    }

    @Test func `V04 while a connection brings bytes, a node with another tag costs a connection and no byte`() async throws {
        let (a, b) = (Served(Self.old, tag: "\"a\""), Served(Self.old, tag: "\"b\""))
        let trial = try Trial(Self.old) { request, connection in
            if request.number == 2 { return try b.answer(request, connection) }
            // Slow enough for a second connection to be tried.
            guard let range = a.range(request) else { return try a.whole(connection) }
            try connection.send(
                "HTTP/1.1 206 P\r\nETag: \"a\"\r\nLast-Modified: \(Served.oldDate)\r\nDate: \(Served.now)\r\nContent-Length: \(range.count)\r\n"
                    + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.old.count)\r\n\r\n")
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 10_000) {
                try connection.sendBody(Self.old[start..<min(start + 10_000, range.upperBound)])
                try connection.sleep(.milliseconds(20))
            }
        }
        let after = try await trial.run()
        after.expectWhole(Self.old)
        #expect(Set(after.requests.map(\.connection)).count > 1, "no second connection was tried")
        #expect(!after.reports.contains(.changed(.validator)))
    }

    @Test func `V04 a server whose tag is never the same twice is given up, with one partial file kept aside at most`() async throws {
        let trial = try Trial(Self.old) { request, connection in
            try Served(Self.old, tag: "\"\(request.number)\"").answer(request, connection, cut: 30_000 + request.number * 10)
        }
        let after = try await trial.runAlone()
        let error = after.expectFailure(.changed, of: Self.old)
        #expect(error?.message.contains("keeps changing") == true)
        #expect(after.names.count { $0.contains("orphan") } == 1, "\(after.names)")
        after.expectCost(requests: 40)
    }
}
