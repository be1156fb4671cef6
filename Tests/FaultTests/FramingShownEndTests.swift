import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B3 Framing: complete files required` {
    private static func trial(_ content: [UInt8]) throws -> Trial {
        try Trial(content) { request, connection in
            try connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\n")
            try connection.sendBody(content[...])
            connection.close()
        }
    }

    @Test
    func `L24 if a complete file is required, the next run downloads again what only the closed connection ended`()
        async throws
    {
        let content = FileBehaviour.pattern(count: 100_000)
        let trial = try Self.trial(content)
        let first = try await trial.run { $0.settings.requiresComplete = true }
        first.expectFailure(.incomplete, keeping: 100_000, of: content)
        first.expectCost(requests: 1, bytes: content.count)
        #expect(first.files[Trial.name + ".part"] == content)
        #expect(first.record?.representation.total == nil && first.record?.state == .downloading)
        let again = try await trial.run { $0.settings.requiresComplete = true }
        again.expectFailure(.incomplete, of: content)
        #expect(!again.requests.isEmpty && again.bodyBytes >= content.count)
        #expect(again.record?.representation.total == nil)
        for run in [first, again] { #expect(run.names == ["file.bin.part", "file.bin.pawl"]) }
        // Without the requirement, the file ends where the server ends it now.
        let accepted = try await trial.run()
        #expect(accepted.outcome == .init(isComplete: false, isVerified: false))
        #expect(!accepted.requests.isEmpty && accepted.files == [Trial.name: content])
    }

    @Test func `L24 if a complete file is required, the next run completes once the server sends the length`()
        async throws
    {
        let content = FileBehaviour.pattern(count: 100_000)
        let cut = content.prefix(60_000)
        let trial = try Trial(content) { request, connection in
            guard request.number > 1 else {
                try connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\n")
                try connection.sendBody(cut)
                return connection.close()
            }
            try connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(content.count)\r\n\r\n")
            try connection.sendBody(content[...])
        }
        let first = try await trial.run { $0.settings.requiresComplete = true }
        first.expectFailure(.incomplete, of: content)
        let second = try await trial.run { $0.settings.requiresComplete = true }
        second.expectWhole(content)
    }
}
