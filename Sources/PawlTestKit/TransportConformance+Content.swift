internal import PawlCore
internal import PawlEngine
internal import Synchronization

extension TransportConformance {
    // MARK: - Content of requests

    static let contentChecks = [
        Check("content is sent whole, behind a head that tells its length") { transport in
            for count in [0, 1, 300_000, 3_000_000] {
                let content = FileBehaviour.pattern(count: count)
                let received = Locked<[UInt8]>([])
                let server = try ScriptedServer { request, connection in
                    if request.fields.first("expect") != nil { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
                    let bytes = try connection.body(count: count)
                    received.withLock { $0 = bytes }
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                }
                try await withServer(server) { server in
                    for _ in 1...2 {
                        try requireSuccess(try await send(transport, content, to: server.url()), 200, [])
                        try require(received.withLock { $0 } == content, "\(count) bytes came changed")
                    }
                    let request = server.requests[0]
                    try require(request.method == "PUT", "the method is \(request.method)")
                    try require(request.fields.first("content-length") == "\(count)", "the length is not told")
                    try require(server.connectionCount == 1, "the connection was not used again")
                }
            }
        },
        Check("much content waits for a server that is asked first, and for one that never answers not long") {
            transport in
            let content = FileBehaviour.pattern(count: 2_000_000)
            let server = try ScriptedServer { request, connection in
                guard request.fields.first("expect") == "100-continue" else { return connection.close() }
                // Another interim response is no answer.
                try connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
                _ = try connection.body(count: content.count)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            try await withServer(server) { server in
                let begun = ContinuousClock.now
                try requireSuccess(try await send(transport, content, to: server.url()), 200, [])
                try require(ContinuousClock.now - begun >= .milliseconds(900), "it did not wait for an answer")
            }
        },
        Check("a server that refuses what it was asked gets no content, and its connection is not used again") {
            transport in
            let server = try ScriptedServer { _, connection in
                try connection.send("HTTP/1.1 412 No\r\nContent-Length: 2\r\n\r\nno")
            }
            try await withServer(server) { server in
                let content = FileBehaviour.pattern(count: 2_000_000)
                for _ in 1...2 {
                    try requireSuccess(try await send(transport, content, to: server.url()), 412, Array("no".utf8))
                }
                try require(
                    server.requests.count == 2 && server.connectionCount == 2, "content was taken for a request")
                try require(server.malformedHeads.isEmpty, "content was sent")
            }
        },
        Check("an answer that comes while content is sent ends it") { transport in
            let server = try ScriptedServer { _, connection in
                _ = try connection.body(count: 1000)
                try connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
                try connection.stall()
            }
            try await withServer(server) { server in
                let content = FileBehaviour.pattern(count: 64_000_000)
                try requireSuccess(try await send(transport, content, to: server.url()), 503, [])
            }
        },
        Check("content that cannot be read ends the exchange, and the server does not get it whole") { transport in
            let ended = Locked(false)
            let server = try ScriptedServer { _, connection in
                defer { ended.withLock { $0 = true } }
                _ = try connection.body(count: 600_000)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            try await withServer(server) { server in
                let content = RequestContent(length: 600_000, on: Inline()) { count, offset in
                    offset < 300_000
                        ? .success([UInt8](repeating: 1, count: count))
                        : .failure(StorageError(operation: "read", name: "f", reason: .inputOutput))
                }
                try requireFailure(try await send(transport, content, to: server.url()), .other, "a read error")
                let deadline = ContinuousClock.now + .seconds(10)
                while !ended.withLock({ $0 }), ContinuousClock.now < deadline { await Task.yield() }
                try require(ended.withLock { $0 }, "the connection stays open")
            }
        },
        Check("an exchange with content can be cancelled") { transport in
            let server = try ScriptedServer { _, connection in try connection.stall() }
            try await withServer(server) { server in
                let handler = RecordingHandler()
                let content = RequestContent(length: 1 << 40, on: Inline()) { count, _ in
                    .success([UInt8](repeating: 1, count: count))
                }
                let url = try HTTPURL(parsing: server.url())
                handler.attach(
                    transport.start(
                        TransportRequest(method: .put, url: url, fields: [], content: content), handler: handler))
                let deadline = ContinuousClock.now + .seconds(10)
                while server.requests.isEmpty, ContinuousClock.now < deadline { await Task.yield() }
                handler.cancel()
                let record = try await handler.waitForEnd()
                try require(record.end != .some(.none), "a cancelled exchange ended well")
            }
        },
    ]

    /// Runs work at once.
    private struct Inline: WorkExecutor {
        func submit(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private static func send(
        _ transport: any Transport, _ bytes: [UInt8], to url: String
    ) async throws -> RecordingHandler.Record {
        let content = RequestContent(length: Int64(bytes.count), on: Inline()) { count, offset in
            .success(Array(bytes.dropFirst(Int(clamping: offset)).prefix(count)))
        }
        return try await send(transport, content, to: url)
    }

    private static func send(
        _ transport: any Transport, _ content: RequestContent, to url: String
    ) async throws -> RecordingHandler.Record {
        let handler = RecordingHandler()
        let request = TransportRequest(method: .put, url: try HTTPURL(parsing: url), fields: [], content: content)
        handler.attach(transport.start(request, handler: handler))
        return try await handler.waitForEnd()
    }
}
