import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B3 Framing: bodies that end with the connection` {
    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
    func `L10 a file whose end only the closed connection marks is stored and reported as possibly incomplete`(
        version: String
    ) async throws {
        let content = FileBehaviour.pattern(count: 100_000)
        let trial = try Trial(content) { _, connection in
            try connection.send("\(version) 200 OK\r\nETag: \"v1\"\r\n\r\n")
            try connection.sendBody(content[...])
            connection.close()
        }
        let after = try await trial.run()
        #expect(after.outcome == .init(isComplete: false, isVerified: false))
        #expect(after.files == [Trial.name: content])
    }

    @Test func `L10 a reset does not end a body without a length, and the next response starts the file from zero`()
        async throws
    {
        let content = FileBehaviour.pattern(count: 100_000)
        let trial = try Trial(content) { request, connection in
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            guard request.number == 1 else {
                try connection.sendBody(content[...])
                return connection.close()
            }
            try connection.sendBody([UInt8](repeating: 0xEE, count: 60_000)[...])
            try connection.sleep(.milliseconds(20))
            connection.reset()
        }
        let after = try await trial.run()
        #expect(after.outcome == .init(isComplete: false, isVerified: false))
        #expect(after.files == [Trial.name: content])
        #expect(after.requests.count == 2)
    }

    @Test func `L10 stored bytes are never continued by a response without a length`() async throws {
        let trial = try Trial { behaviour in
            behaviour.honoursRanges = false
            behaviour.framing = .untilClose
        }
        try trial.leave(durable: 0..<100_000) { $0.representation.total = nil }
        let after = try await trial.run()
        #expect(after.files[Trial.name] == trial.content)
        #expect(after.outcome?.isComplete == false)
        #expect(after.bodyBytes >= trial.content.count)
    }

    @Test(arguments: [nil, 1 << 20] as [Int64?])
    func `L19 an endless body stops at the caller's size limit, or before the disk is full`(
        limit: Int64?
    ) async throws {
        let piece = [UInt8](repeating: 7, count: 64 * 1024)
        let trial = try Trial([UInt8](repeating: 7, count: 64 << 20)) { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"v1\"\r\n\r\n")
            try connection.sendForEver(Array("10000\r\n".utf8) + piece + Array("\r\n".utf8))
        }
        let disk = SmallDisk(available: 100 << 20)
        let after = try await trial.run({ $0.settings.maximumFileSize = limit }, storage: disk)
        if let limit {
            let error = after.expectFailure(.tooLarge, keeping: limit, of: trial.content)
            #expect(error?.remedies == [.raiseMaximumSize] && error?.facts.limit == limit)
            #expect(Int64(after.files[Trial.name + ".part"]?.count ?? 0) == limit + 1)
        } else {
            let error = after.expectFailure(.diskFull, of: trial.content)
            #expect(error?.message.contains("nearly full") ?? false)
            // Every 8 MiB the download checks that 64 MiB are free. A full disk would cost only the bytes since the
            // last checkpoint.
            #expect(after.files[Trial.name + ".part"].map { $0.count <= (36 + 8 + 1) << 20 } ?? false)
        }
        after.expectCost(requests: 1)
    }

    @Test func `L19 a file exactly as long as the size limit is accepted, and a longer one is refused`()
        async throws
    {
        for framing in [FileBehaviour.Framing.contentLength, .chunked(size: 9000)] {
            let trial = try Trial {
                $0.framing = framing
                $0.honoursRanges = false
            }
            let exact = try await trial.run { $0.settings.maximumFileSize = 300_000 }
            exact.expectWhole(trial.content)
            let above = try await trial.run {
                $0.settings.maximumFileSize = 299_999
                $0.fileName = "other.bin"
            }
            #expect(above.error?.code == .tooLarge)
            #expect(above.files["other.bin"] == nil)
            if case .contentLength = framing { #expect(above.names == [Trial.name]) }
            above.expectCost(requests: 1)
        }
    }
}
