import PawlCore

extension ServiceConnection {
    /// Waits for the head of a stream of events.
    ///
    /// - Throws: the service's problem, if it answers with one.
    func expectEvents(within time: Duration) async throws(ServiceError) {
        guard case .head(let status, let contentType) = try await next(within: time) else { throw .foreign }
        guard status != 200 else {
            guard contentType.begins(with: "text/event-stream") else { throw .foreign }
            return
        }
        var answer = try await answer(maximumBytes: 1 << 20, within: time)
        (answer.status, answer.contentType) = (status, contentType)
        _ = try answer.json()
        throw .foreign
    }
}

extension ServiceAnswer {
    /// Returns the answer of a call that succeeded; null if it is empty.
    ///
    /// - Throws: the service's problem, if it answers with one; `foreignAnswer` for what no service sends.
    func json() throws(ServiceError) -> JSONValue {
        guard (200...299).contains(status) else {
            guard contentType.begins(with: "application/problem+json") else {
                throw ServiceError(
                    .foreignAnswer,
                    "The program that answers is not the service: it sent status \(status) without a reason.",
                    status: status)
            }
            var error = try ServiceError(try parsed)
            error.status = status
            throw error
        }
        if body.isEmpty, status == 204 { return .null }
        guard contentType.begins(with: "application/json") else { throw .foreign }
        return try parsed
    }

    private var parsed: JSONValue {
        get throws(ServiceError) {
            do throws(JSONValue.Problem) {
                return try JSONValue(parsing: body)
            } catch {
                throw .foreign
            }
        }
    }
}

extension ServiceError {
    static var foreign: ServiceError {
        ServiceError(.foreignAnswer, "The program that answers is not the service, or is another version of it.")
    }

    /// Whether the problem may be gone in a moment.
    package var isTransient: Bool {
        switch code {
        case .notRunning, .connectionLost, .timedOut: true
        default: status == 503 || status == 429
        }
    }
}
