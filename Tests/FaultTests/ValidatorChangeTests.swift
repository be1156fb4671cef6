import Pawl
import PawlCore
import PawlTestKit
import Testing

/// Files that change or seem to change, and nodes that disagree about a file.
@Suite struct `B2 Changing files` {
    static let old = FileBehaviour.pattern(count: 300_000)
    static let new = FileBehaviour.pattern(count: 300_000, seed: 2)

    static func digest(_ bytes: [UInt8]) -> Digest? {
        Digest(algorithm: .sha256, bytes: SHA256.hash(bytes))
    }

    /// Serves the old file, cut after 100,000 bytes, and then `next`.
    private func trial(then next: Served) throws -> Trial {
        let first = Served(Self.old)
        return try Trial(Self.old) { request, connection in
            if request.number == 1 {
                try first.answer(request, connection, cut: 100_000)
            } else {
                try next.answer(request, connection)
            }
        }
    }

    @Test
    func `V01 a file replaced midway by another of the same length is restarted, and the old bytes are set aside`()
        async throws
    {
        let trial = try trial(then: Served(Self.new, tag: "\"v2\"", lastModified: "Thu, 02 Jan 2020 00:00:00 GMT"))
        let after = try await trial.runAlone()
        after.expectWhole(Self.new, beside: [Aftermath.orphan])
        after.expectAside(Self.old[..<100_000])
        #expect(after.reports.contains(.changed(.validator)))
        #expect(after.sent("If-Range").filter { $0 != "-" }.allSatisfy { $0 == "\"v1\"" })
        #expect(after.ranges.first == "bytes=0-" && after.ranges.last == "bytes=0-")
        #expect(
            after.requests.dropFirst().dropLast().allSatisfy { $0.fields.first("If-Range") == "\"v1\"" },
            "on every range after the first")
        after.expectCost(requests: 6)
    }

    @Test(arguments: [("\"v2\"", 350_000), ("\"v2\"", 250_000), ("\"v1\"", 350_000), ("\"v1\"", 250_000)])
    func `V02 V03 R10 a file that grows or shrinks counts as changed, even under the same ETag, and is restarted`(
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

    // MARK: V04

    /// Cuts every connection after 80,000 bytes. Odd requests go to one node, even requests to another with its own
    /// tag.
    private func nodes(_ lines: [String] = [], second: [UInt8] = old, until last: Int = .max) throws -> Trial {
        var (a, b) = (Served(Self.old, tag: "\"a\""), Served(second, tag: "\"b\""))
        (a.lines, b.lines) = (lines, lines)
        let (one, other) = (a, b)
        return try Trial(Self.old) { request, connection in
            let node = request.number % 2 == 0 && request.number <= last ? other : one
            try node.answer(request, connection, cut: 80_000)
        }
    }

    @Test func `V04 with a known digest, nodes with different ETags are used together, and the digest decides`()
        async throws
    {
        let trial = try nodes()
        let after = try await trial.runAlone { $0.settings.digest = Self.digest(Self.old) }
        after.expectWhole(Self.old, verified: true)
        after.expectCost(requests: 7, bytes: 4 * 80_000 + 80_000)
    }

    @Test
    func `V04 if the digest shows that two nodes have different bytes, the file is downloaded again from one of them`()
        async throws
    {
        let trial = try nodes(second: Self.new, until: 5)
        let after = try await trial.runAlone { $0.settings.digest = Self.digest(Self.old) }
        after.expectWhole(Self.old, verified: true)
        #expect(after.reports.contains(.changed(.digest)))
    }

    @Test func `V04 nodes that send the same Repr-Digest have the same file, whatever their ETags`() async throws {
        let base64 = Base64.encode(try #require(Self.digest(Self.old)).bytes)
        let trial = try nodes(["Repr-Digest: sha-256=:\(base64):"])
        let after = try await trial.runAlone()
        after.expectWhole(Self.old, verified: true)
        #expect(!after.reports.contains(.changed(.validator)))
        after.expectCost(requests: 9)
    }

    @Test
    func
        `V04 without a digest, requests are repeated until the node with the first ETag answers, and the file completes`()
        async throws
    {
        let trial = try nodes()
        let after = try await trial.runAlone()
        after.expectWhole(Self.old)
        #expect(!after.reports.contains(.changed(.validator)))
        after.expectCost(requests: 14, bytes: Self.old.count + 10 * 80_000)
    }

    @Test func `V04 while one connection receives bytes, a node with another ETag causes no restart`() async throws {
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
}
