import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): gateways that refuse whatever names a range.
@Suite struct `B1 Requests refused because of a range` {
    /// Returns a trial whose server refuses ranges with this status; with nil, it closes the connection without an
    /// answer.
    private func trial(_ status: Int?) throws -> Trial {
        let file = HandServed(content: FileBehaviour.pattern(count: 300_000))
        return try Trial(file.content) { request, connection in
            guard request.fields.first("Range") != nil else {
                return try file.send(connection, 200, ["Content-Length: \(file.count)"], file.content)
            }
            guard let status else { return connection.close() }
            try connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test(arguments: [400, 401, 403, 404, 405, 406, 412, 500, 501, 503, nil])
    func `R32 a gateway that refuses ranges is asked once without, and sends the file`(status: Int?) async throws {
        let trial = try trial(status)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=0-", "-"])
    }

    @Test(arguments: [403, nil])
    func `R32 bytes are held, and a gateway that refuses ranges sends the file from its first byte`(
        status: Int?
    ) async throws {
        let trial = try trial(status)
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges.last == "-")
        after.expectCost(requests: 4, bytes: trial.content.count)
    }
}
