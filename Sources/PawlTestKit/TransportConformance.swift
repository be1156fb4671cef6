package import PawlEngine

internal import PawlCore

/// The contract of every ``Transport``, as named checks against a server that sends raw bytes.
///
/// Run a check with ``run(_:on:)``; it throws a ``ConformanceFailure`` that says what was expected.
package enum TransportConformance {
    package static var names: [String] { checks.map(\.name) }

    package static func run(_ name: String, on transport: any Transport) async throws {
        guard let check = checks.first(where: { $0.name == name }) else {
            throw ConformanceFailure("there is no check named \(name)")
        }
        try await check.body(transport)
    }

    struct Check: Sendable {
        let name: String
        let body: @Sendable (any Transport) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any Transport) async throws -> Void) {
            self.name = name
            self.body = body
        }
    }

    static let checks: [Check] =
        deliveryChecks + framingChecks + failureChecks + controlChecks + connectionChecks + contentChecks
}

package struct ConformanceFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

// MARK: - Helpers of the checks

extension TransportConformance {
    static func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(message()) }
    }

    static func withServer<Result: Sendable>(
        _ server: ScriptedServer, _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        defer { server.stop() }
        return try await body(server)
    }

    /// A server that answers every request with this text, then closes the connection or keeps it open.
    static func server(sending text: String, then end: FileBehaviour.End? = .finish) throws -> ScriptedServer {
        try ScriptedServer { _, connection in
            try connection.send(text)
            switch end {
            case .finish: connection.close()
            case .reset: connection.reset()
            case nil: break
            }
        }
    }

    static func start(
        _ transport: any Transport, _ url: String, method: TransportRequest.Method = .get, fields: [HTTPField] = [],
        _ mode: RecordingHandler.Mode = .flowing
    ) throws -> RecordingHandler {
        let handler = RecordingHandler(mode)
        let request = TransportRequest(method: method, url: try HTTPURL(parsing: url), fields: fields)
        handler.attach(transport.start(request, handler: handler))
        return handler
    }

    /// Runs an exchange to its end and checks the order of the handler's calls.
    static func exchange(
        _ transport: any Transport, _ url: String, method: TransportRequest.Method = .get, fields: [HTTPField] = []
    ) async throws -> RecordingHandler.Record {
        let handler = try start(transport, url, method: method, fields: fields)
        return try await handler.waitForEnd()
    }

    static func requireFailure(
        _ record: RecordingHandler.Record, _ reason: TransportError.Reason, _ what: String
    ) throws {
        guard case .some(.some(let error)) = record.end else {
            throw ConformanceFailure("\(what): ended without an error, expected \(reason)")
        }
        try require(error.reason == reason, "\(what): ended with \(error), expected \(reason)")
        try require(
            !error.detail.isEmpty && !error.detail.contains("127.0.0.1"), "\(what): bad detail: \(error.detail)")
    }

    static func requireSuccess(_ record: RecordingHandler.Record, _ status: Int, _ body: [UInt8]) throws {
        if case .some(.some(let error)) = record.end { throw ConformanceFailure("ended with \(error)") }
        try require(record.head?.status == status, "status \(record.head?.status ?? 0), expected \(status)")
        try require(record.body == body, "\(record.body.count) bytes of body, expected these \(body.count)")
    }
}
