import PawlEngine
import Synchronization

/// The parts that arrive on a connection, handed from its event loop to the one task that reads them.
///
/// The channel reads only when the task asks and the queue is empty, so a queue holds no more than one read brings.
final class AnswerQueue: Sendable {
    enum Part: Sendable {
        case head(status: Int, contentType: String)
        case body([UInt8])
        /// The answer is complete.
        case end
    }

    private struct State {
        var parts: [Part] = []
        var failure: ServiceError?
        var reader: CheckedContinuation<Part, any Error>?
    }

    private let state = Locked(State())

    /// - Parameter read: asks for more; called if nothing is there.
    func next(_ read: () -> Void) async throws(ServiceError) -> Part {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Part, ServiceError>? in
                    if !state.parts.isEmpty { return .success(state.parts.removeFirst()) }
                    if let failure = state.failure { return .failure(failure) }
                    state.reader = continuation
                    return nil
                }
                switch result {
                case .success(let part): continuation.resume(returning: part)
                case .failure(let error): continuation.resume(throwing: error)
                case nil: read()
                }
            }
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(.cancelled, "The call was cancelled.")
        }
    }

    /// A task waits for a part.
    var isAwaited: Bool { state.withLock { $0.reader != nil } }

    func push(_ part: Part) {
        let reader = state.withLock { state in
            let reader = state.reader
            state.reader = nil
            if reader == nil { state.parts.append(part) }
            return reader
        }
        reader?.resume(returning: part)
    }

    /// Ends the queue with an error; the first reason counts.
    func fail(_ error: ServiceError) {
        let reader = state.withLock { state in
            let reader = state.reader
            state.reader = nil
            if state.failure == nil { state.failure = error }
            return reader
        }
        reader?.resume(throwing: error)
    }
}
