internal import PawlCore
internal import PawlEngine

private let crlf = "\r\n"

extension TransportConformance {
    // MARK: - Delivery

    static let deliveryChecks = [
        Check("a head, then its body, then the end") { transport in
            let content = FileBehaviour.pattern(count: 300_000)
            try await withServer(ScriptedServer(file: FileBehaviour(content: content))) { server in
                let record = try await exchange(transport, server.url())
                try requireSuccess(record, 200, content)
                try require(record.head?.fields.first("etag") == "\"v1\"", "the ETag is not as it was sent")
            }
        },
        Check("an empty body ends successfully") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: []))) { server in
                try requireSuccess(try await exchange(transport, server.url()), 200, [])
            }
        },
        Check("an answer to HEAD has no body, whatever its Content-Length says") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: [1, 2, 3]))) { server in
                let record = try await exchange(transport, server.url(), method: .head)
                try requireSuccess(record, 200, [])
                try require(record.head?.fields.first("content-length") == "3", "the length of the HEAD was lost")
            }
        },
        Check("a 204 and a 304 have no body") { transport in
            for status in [204, 304] {
                try await withServer(server(sending: "HTTP/1.1 \(status) X\r\n\r\n")) { server in
                    try requireSuccess(try await exchange(transport, server.url()), status, [])
                }
            }
        },
        Check("repeated fields keep their order and number") { transport in
            let head = "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nX-A: 3, 4\r\nContent-Length: 0\r\n\r\n"
            try await withServer(server(sending: head)) { server in
                let record = try await exchange(transport, server.url())
                try require(
                    record.head?.fields.values("X-A") == ["1", "2", "3, 4"], "fields were merged, lost or moved")
            }
        },
        Check("an HTTP/1.0 answer is reported as such") { transport in
            try await withServer(server(sending: "HTTP/1.0 200 OK\r\n\r\nabc")) { server in
                let record = try await exchange(transport, server.url())
                try requireSuccess(record, 200, Array("abc".utf8))
                try require(record.head?.isHTTP10 == true, "the version was lost")
            }
        },
        Check("interim responses are skipped") { transport in
            var behaviour = FileBehaviour(content: [7, 8, 9])
            behaviour.interimStatuses = [100, 102, 103, 103]
            try await withServer(ScriptedServer(file: behaviour)) { server in
                try requireSuccess(try await exchange(transport, server.url()), 200, [7, 8, 9])
            }
        },
        Check("a redirect is delivered, not followed") { transport in
            var behaviour = FileBehaviour(content: [1])
            behaviour.redirects = ["/old": "/file"]
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let record = try await exchange(transport, server.url("/old"))
                try require(record.head?.status == 302, "status \(record.head?.status ?? 0), expected 302")
                try require(record.head?.fields.first("location") == "/file", "the Location was lost")
                try require(server.requests.count == 1, "the redirect was followed")
            }
        },
        Check("a content coding is not decoded") { transport in
            // The body is not gzip at all: a transport that decodes it fails.
            var behaviour = FileBehaviour(content: Array("as it came".utf8))
            behaviour.extraFieldLines = ["Content-Encoding: gzip"]
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let record = try await exchange(transport, server.url())
                try requireSuccess(record, 200, behaviour.content)
                try require(record.head?.fields.first("content-encoding") == "gzip", "the Content-Encoding was hidden")
            }
        },
        Check("the request has the given target and fields, and Host") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: [1]))) { server in
                let target = "/a%20b/%2e%2E/c;d=1//e?x=%2F&y=a+b&z"
                let fields = [HTTPField("Range", "bytes=0-"), HTTPField("Accept-Encoding", "identity")]
                _ = try await exchange(transport, server.url(target), fields: fields)
                guard let request = server.requests.first else { throw ConformanceFailure("no request came") }
                try require(request.target == target, "the target became \(request.target)")
                let known: Set = ["host", "range", "accept-encoding", "connection"]
                let names = request.fields.map { $0.name.lowercased() }
                try require(Set(names).isSubset(of: known), "fields nobody asked for: \(names)")
                try require(names.count { $0 == "host" } == 1, "not exactly one Host: \(names)")
                try require(request.fields.first("host") == "127.0.0.1:\(server.port)", "a wrong Host")
                try require(request.fields.values("Range") == ["bytes=0-"], "the Range was changed")
            }
        },
    ]

    // MARK: - Framing (RFC 9112 §6.3, §8)

    static let framingChecks = [
        Check("a chunked body is decoded") { transport in
            var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 100_000))
            behaviour.framing = .chunked(size: 777)
            try await withServer(ScriptedServer(file: behaviour)) { server in
                try requireSuccess(try await exchange(transport, server.url()), 200, behaviour.content)
            }
        },
        Check("L01 a body shorter than its length is truncated, and the received bytes are delivered") { transport in
            var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 100_000))
            behaviour.cut = .init(afterBytes: 40_000)
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let record = try await exchange(transport, server.url())
                try requireFailure(record, .truncated, "40,000 of 100,000 bytes")
                try require(
                    record.body == Array(behaviour.content.prefix(40_000)), "\(record.body.count) bytes came, of 40,000"
                )
            }
        },
        Check("L05 a chunked body cut between chunks is truncated") { transport in
            let text = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "3", "abc", ""].joined(separator: crlf)
            try await withServer(server(sending: text)) { server in
                try requireFailure(try await exchange(transport, server.url()), .truncated, "no last chunk")
            }
        },
        Check("L05 a chunked body cut inside a chunk is truncated") { transport in
            let text = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "ff", "abc"].joined(separator: crlf)
            try await withServer(server(sending: text)) { server in
                try requireFailure(try await exchange(transport, server.url()), .truncated, "3 bytes of a chunk of 255")
            }
        },
        Check("L06 a chunked body cut inside its trailers is truncated") { transport in
            let text = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "3", "abc", "0", ""].joined(
                separator: crlf)
            try await withServer(server(sending: text)) { server in
                try requireFailure(try await exchange(transport, server.url()), .truncated, "no end of the trailers")
            }
        },
        Check("L10 a body without a length ends with the connection") { transport in
            var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 70_000))
            behaviour.framing = .untilClose
            try await withServer(ScriptedServer(file: behaviour)) { server in
                try requireSuccess(try await exchange(transport, server.url()), 200, behaviour.content)
            }
        },
        Check("a connection closed before an answer is truncated") { transport in
            try await withServer(server(sending: "")) { server in
                try requireFailure(try await exchange(transport, server.url()), .truncated, "no answer")
            }
        },
        Check("a head cut short is truncated") { transport in
            try await withServer(server(sending: "HTTP/1.1 200 OK\r\nContent-Le")) { server in
                let record = try await exchange(transport, server.url())
                try requireFailure(record, .truncated, "half a head")
                try require(record.head == nil, "half a head was delivered")
            }
        },
        Check("L03 the content behind an invalid Content-Length, which the rule refuses, ends with the connection") {
            transport in
            for value in ["-1", "+5", "0x10", "5, 6", "99999999999999999999"] {
                let text = "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nabcde"
                try await withServer(server(sending: text)) { server in
                    let record = try await exchange(transport, server.url())
                    try require(record.end == .some(nil) && record.body == Array("abcde".utf8), "length \(value)")
                }
            }
        },
        Check("L08 an invalid chunk size is malformed") { transport in
            for size in ["zz", "-1", "fffffffffffffffff"] {
                let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nabc\r\n0\r\n\r\n"
                try await withServer(server(sending: text)) { server in
                    try requireFailure(try await exchange(transport, server.url()), .malformed, "chunk size \(size)")
                }
            }
        },
        Check("L22 an answer that is not HTTP is malformed") { transport in
            for text in ["ICY 200 OK\r\n\r\n", "<html>hello</html>\r\n\r\n", "HTTP/1.1 banana\r\n\r\n"] {
                try await withServer(server(sending: text)) { server in
                    try requireFailure(try await exchange(transport, server.url()), .malformed, text)
                }
            }
        },
    ]

    // MARK: - Failures

    static let failureChecks = [
        Check("N08 a reset is truncated") { transport in
            try await withServer(
                ScriptedServer { _, connection in
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                    try connection.sendBody(FileBehaviour.pattern(count: 1000)[...])
                    // Give the client time to read, because a reset may overtake bytes already sent.
                    try connection.sleep(.milliseconds(50))
                    connection.reset()
                }
            ) { server in
                let record = try await exchange(transport, server.url())
                try requireFailure(record, .truncated, "a reset")
                try require(record.body.count == 1000, "\(record.body.count) bytes came, of 1,000")
            }
        },
        Check("N08 a reset before the answer is truncated") { transport in
            try await withServer(server(sending: "", then: .reset)) { server in
                try requireFailure(try await exchange(transport, server.url()), .truncated, "a reset")
            }
        },
        Check("a refused connection fails soon as a connection failure") { transport in
            let server = try ScriptedServer { _, _ in }
            server.stop()
            let handler = try start(transport, server.url())
            try requireFailure(try await handler.waitForEnd(timeout: .seconds(3)), .connect, "nobody listens")
        },
        Check("a name that does not exist fails as a name resolution failure") { transport in
            // A name reserved for this purpose (RFC 6761 §6.4).
            let record = try await start(transport, "http://does-not-exist.invalid/").waitForEnd(timeout: .seconds(20))
            try requireFailure(record, .nameResolution, "a name that cannot exist")
        },
        Check("a TLS handshake with a server without TLS fails") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: [1]))) { server in
                let handler = try start(transport, "https://127.0.0.1:\(server.port)/")
                // To the server, the handshake looks like an unfinished head: it waits for more until it is stopped.
                try await Task.sleep(for: .milliseconds(100))
                server.stop()
                let record = try await handler.waitForEnd()
                guard case .some(.some(let error)) = record.end,
                    [.connect, .tls, .wrongHost, .notTLS].contains(error.reason)
                else {
                    throw ConformanceFailure("ended with \(String(describing: record.end)), expected connect or tls")
                }
            }
        },
    ]

    // MARK: - Control

    static let controlChecks = [
        Check("nothing is delivered while the body is held") { transport in
            let content = FileBehaviour.pattern(count: 4_000_000)
            var behaviour = FileBehaviour(content: content)
            behaviour.sendBufferSize = 64 * 1024
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let handler = try start(transport, server.url(), .manual)
                try await handler.wait(for: "the head") { $0.head != nil }
                try await Task.sleep(for: .milliseconds(100))
                try require(handler.record.parts == 0, "body before proceed()")
                for parts in 1...3 {
                    handler.proceed()
                    try await handler.wait(for: "part \(parts)") { $0.parts >= parts }
                    try await Task.sleep(for: .milliseconds(50))
                    try require(handler.record.parts == parts, "\(handler.record.parts) parts for \(parts) proceed()s")
                }
                // Release the rest, with more calls than there are parts.
                while handler.record.end == nil {
                    handler.proceed()
                    await Task.yield()
                }
                try requireSuccess(try await handler.waitForEnd(), 200, content)
            }
        },
        Check("a held body keeps the server from sending") { transport in
            // Far more than the sockets on both sides buffer between them.
            let content = [UInt8](repeating: 1, count: 64 << 20)
            var behaviour = FileBehaviour(content: content)
            behaviour.sendBufferSize = 64 * 1024
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let handler = try start(transport, server.url(), .manual)
                try await handler.wait(for: "the head") { $0.head != nil }
                try await Task.sleep(for: .milliseconds(300))
                let sent = server.bodyBytesSent
                try await Task.sleep(for: .milliseconds(200))
                try require(sent < 32 << 20, "\(sent) bytes were taken from a server nobody listens to")
                try require(server.bodyBytesSent == sent, "the server could go on sending")
                handler.cancel()
                _ = try await handler.waitForEnd()
            }
        },
        Check("a handler that held the body still receives every byte after the connection closes") { transport in
            var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 1_000_000))
            behaviour.cut = .init(afterBytes: 100_000)
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let handler = try start(transport, server.url(), .manual)
                try await handler.wait(for: "the head") { $0.head != nil }
                try await waitFor("the server's end") { server.openConnectionCount == 0 }
                try await Task.sleep(for: .milliseconds(50))
                try require(
                    handler.record.parts == 0 && handler.record.end == nil, "something came to a handler that held")
                while handler.record.end == nil {
                    handler.proceed()
                    await Task.yield()
                }
                let record = try await handler.waitForEnd()
                try requireFailure(record, .truncated, "100,000 of 1,000,000 bytes")
                try require(
                    record.body == Array(behaviour.content.prefix(100_000)),
                    "\(record.body.count) bytes came, of 100,000")
            }
        },
        Check("proceed() from inside the handler counts") { transport in
            try await deliversAll(transport, .proceedingInside)
        },
        Check("proceed() from another thread counts") { transport in
            try await deliversAll(transport, .proceedingOutside)
        },
        Check("proceed() without a held body is harmless") { transport in
            let content = FileBehaviour.pattern(count: 500_000)
            try await withServer(ScriptedServer(file: FileBehaviour(content: content))) { server in
                let handler = try start(transport, server.url())
                for _ in 0..<100 { handler.proceed() }
                try requireSuccess(try await handler.waitForEnd(), 200, content)
                handler.proceed()
                handler.cancel()
                _ = try await handler.waitForEnd()
            }
        },
        Check("cancel before the answer ends the exchange once and closes the connection") { transport in
            try await withServer(ScriptedServer { _, connection in try connection.stall() }) { server in
                let handler = try start(transport, server.url())
                try await waitFor("the request") { server.requests.count == 1 }
                try await cancelled(handler, server)
            }
        },
        Check("cancel while connecting ends the exchange once") { transport in
            // An address of the documentation range: no host answers, and most networks drop or reject its packets.
            let handler = try start(transport, "http://192.0.2.1:9/")
            handler.cancel()
            handler.cancel()
            let record = try await handler.waitForEnd()
            try require(record.end != .some(.none), "ended well")
        },
        Check("cancel while the body is held ends the exchange once and closes the connection") { transport in
            var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 1_000_000))
            behaviour.stall = .init(afterBytes: 500_000)
            try await withServer(ScriptedServer(file: behaviour)) { server in
                let handler = try start(transport, server.url(), .manual)
                try await handler.wait(for: "the head") { $0.head != nil }
                handler.proceed()
                try await handler.wait(for: "a part") { $0.parts == 1 }
                try await cancelled(handler, server)
                try require(handler.record.parts == 1, "body after cancel()")
            }
        },
        Check("cancel of a held message that has fully arrived ends the exchange") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: [1, 2, 3]))) { server in
                let handler = try start(transport, server.url(), .manual)
                try await handler.wait(for: "the head") { $0.head != nil }
                try await Task.sleep(for: .milliseconds(50))
                handler.cancel()
                let record = try await handler.waitForEnd()
                try require(
                    record.body.isEmpty && record.end != .some(.none), "a body that was not delivered ended well")
            }
        },
        Check("cancel while the body flows ends the exchange once") { transport in
            let content = [UInt8](repeating: 1, count: 8 << 20)
            try await withServer(ScriptedServer(file: FileBehaviour(content: content))) { server in
                let handler = try start(transport, server.url())
                try await handler.wait(for: "a part") { $0.parts > 0 }
                handler.cancel()
                let record = try await handler.waitForEnd()
                try require(record.end != .some(.none) || record.body == content, "a body cut by cancel() ended well")
            }
        },
    ]

    // MARK: - Connections

    static let connectionChecks = [
        Check("two simultaneous exchanges use two connections") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: FileBehaviour.pattern(count: 1000)))) {
                server in
                let first = try start(transport, server.url("/1"), .manual)
                let second = try start(transport, server.url("/2"), .manual)
                for handler in [first, second] { try await handler.wait(for: "the head") { $0.head != nil } }
                try require(Set(server.requests.map(\.connection)).count == 2, "both were on one connection")
                for handler in [first, second] {
                    handler.proceed()
                    handler.proceed()
                    while handler.record.end == nil {
                        handler.proceed()
                        await Task.yield()
                    }
                    _ = try await handler.waitForEnd()
                }
            }
        },
        Check("a connection is reused after a complete body") { transport in
            try await withServer(ScriptedServer(file: FileBehaviour(content: FileBehaviour.pattern(count: 1000)))) {
                server in
                for _ in 1...3 { _ = try await exchange(transport, server.url()) }
                try require(
                    server.connectionCount == 1, "\(server.connectionCount) connections for 3 exchanges in turn")
            }
        },
        Check("L02 bytes after a complete body are not taken for an answer") { transport in
            let text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
            try await withServer(server(sending: text, then: nil)) { server in
                for _ in 1...2 {
                    let record = try await exchange(transport, server.url())
                    try requireSuccess(record, 200, Array("abc".utf8))
                }
                try require(server.connectionCount == 2, "the connection was used again")
            }
        },
    ]

    private static func deliversAll(_ transport: any Transport, _ mode: RecordingHandler.Mode) async throws {
        let content = FileBehaviour.pattern(count: 3_000_000)
        try await withServer(ScriptedServer(file: FileBehaviour(content: content))) { server in
            try requireSuccess(try await start(transport, server.url(), mode).waitForEnd(), 200, content)
        }
    }

    private static func cancelled(_ handler: RecordingHandler, _ server: ScriptedServer) async throws {
        handler.cancel()
        handler.cancel()
        let record = try await handler.waitForEnd()
        try require(record.end != .some(.none), "a cancelled exchange ended well")
        try await waitFor("the connection to close") { server.openConnectionCount == 0 }
    }

    private static func waitFor(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition() {
            if ContinuousClock.now > deadline { throw ConformanceFailure("waited in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
