import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("HTTPTransport")
struct TransportConformanceTests {
    @Test(arguments: TransportConformance.names)
    func `HTTPTransport meets the contract of a transport`(name: String) async throws {
        try await withTransport { transport in
            try await TransportConformance.run(name, on: transport)
        }
    }

    @Test(arguments: [false, true])
    func `many bytes at once come with memory that can be kept, and that stays as it is`(isEncrypted: Bool) async throws
    {
        let tls = isEncrypted ? try await ServerTLS.shared() : nil
        let content = FileBehaviour.pattern(count: 16 << 20)
        let server = try ScriptedServer(tls: tls, file: FileBehaviour(content: content))
        defer { server.stop() }
        let runtime = try LiveRuntime(eventLoops: 1)
        var configuration = TransportConfiguration()
        let trust = try TemporaryDirectory("trust")
        if let tls {
            try Files.write(tls.authority, to: trust.file("ca.pem"))
            configuration.certificateAuthorityFile = trust.file("ca.pem")
        }
        let transport = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
        // The second exchange finds the connection of the first, unless it comes so late that this was closed.
        for _ in 0..<2 {
            let handler = RecordingHandler()
            handler.attach(
                transport.start(
                    TransportRequest(url: try HTTPURL(parsing: server.url("/f")), fields: []), handler: handler))
            let record = try await handler.waitForEnd()
            #expect(record.body == content)
            #expect(record.breaches == [])
            // What TLS has decrypted lies elsewhere. A server that is slow makes small parts, of which none has to be
            // keepable.
            if isEncrypted {
                #expect(record.keepableParts == 0)
            } else {
                #expect(record.largestLentPart < BufferMemory.leastKept)
            }
        }
        try await transport.shutdown()
        await runtime.shutdown()
    }

    @Test func `an exchange on a transport that was shut down ends with an error`() async throws {
        let runtime = try LiveRuntime(eventLoops: 1)
        let transport = try HTTPTransport(configuration: .init(), group: runtime.eventLoopGroup)
        try await transport.shutdown()
        let handler = RecordingHandler()
        let url = try HTTPURL(parsing: "http://127.0.0.1:9/")
        handler.attach(transport.start(TransportRequest(url: url, fields: []), handler: handler))
        let record = try await handler.waitForEnd()
        #expect(record.end != .some(.none))
        await runtime.shutdown()
    }

    @Test func `a field that cannot be sent ends the exchange with an error`() async throws {
        try await withTransport { transport in
            let handler = RecordingHandler()
            let url = try HTTPURL(parsing: "http://127.0.0.1:9/")
            let request = TransportRequest(url: url, fields: [HTTPField("X-A", "1\r\nX-B: 2")])
            handler.attach(transport.start(request, handler: handler))
            let record = try await handler.waitForEnd()
            guard case .some(.some(let error)) = record.end else {
                Issue.record("ended without an error")
                return
            }
            #expect(error.reason == .other)
            #expect(!error.detail.contains("X-B"))
        }
    }

    @Test(arguments: ["/nonexistent/ca.pem", "/", "/dev/null"])
    func `a certificate authority file without certificates is refused at the start`(path: String) async throws {
        let runtime = try LiveRuntime(eventLoops: 1)
        var configuration = TransportConfiguration()
        configuration.certificateAuthorityFile = path
        let error = #expect(throws: TransportError.self) {
            _ = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
        }
        #expect(error?.reason == .tls)
        #expect(error?.detail.contains(path) == true)
        await runtime.shutdown()
    }

    private func withTransport(_ body: (HTTPTransport) async throws -> Void) async throws {
        let runtime = try LiveRuntime(eventLoops: 2)
        var configuration = TransportConfiguration()
        configuration.connectTimeout = .seconds(5)
        let transport = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(transport))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        await runtime.shutdown()
        try result.get()
    }
}
