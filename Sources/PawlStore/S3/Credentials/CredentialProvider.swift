import PawlCore
package import PawlEngine
import Synchronization

/// Keeps the credentials, and asks for others five minutes before they end.
package final class CredentialProvider: Sendable {
    package typealias End = @Sendable (Result<AWSCredentials, StoreError>) -> Void

    private struct State {
        var known: AWSCredentials?
        /// The time when they were asked for.
        var asked: Instant?
        /// Ends of calls that wait for an answer; nil: nobody asks.
        var waiting: [End]?
    }

    /// The time before their end, in seconds, from which on credentials are not used.
    private static let margin: Int64 = 300
    /// The shortest time between two questions: some sources give the same until it ends.
    private static let pause = Duration.seconds(60)

    private let runtime: any Runtime
    private let ask: @Sendable (@escaping End) -> Void
    private let state = Locked(State())

    /// - Parameter ask: finds credentials.
    package init(_ runtime: any Runtime, ask: @escaping @Sendable (@escaping End) -> Void) {
        (self.runtime, self.ask) = (runtime, ask)
    }

    package func get(_ ended: @escaping End) {
        let (latest, now) = (runtime.secondsSinceEpoch + Self.margin, runtime.now)
        let (known, isFirst) = state.withLock { state -> (AWSCredentials?, Bool) in
            let isRecent = state.asked.map { now - $0 < Self.pause } ?? false
            if let known = state.known, isRecent || known.expiration.map({ $0.secondsSinceEpoch > latest }) ?? true {
                return (known, false)
            }
            state.asked = now
            defer { state.waiting = (state.waiting ?? []) + [ended] }
            return (nil, state.waiting == nil)
        }
        if let known { return ended(.success(known)) }
        guard isFirst else { return }
        ask { [self] result in
            let now = runtime.secondsSinceEpoch
            let (waiting, result) = state.withLock { state in
                defer { state.waiting = nil }
                // Credentials that still hold serve until there are others.
                let rest = state.known.flatMap { known in
                    known.expiration.map { $0.secondsSinceEpoch > now } ?? true ? known : nil
                }
                state.known = (try? result.get()) ?? rest
                return (state.waiting ?? [], state.known.map(Result.success) ?? result)
            }
            waiting.forEach { $0(result) }
        }
    }

    /// Forgets credentials that the store does not take any more.
    package func forget() { state.withLock { $0.known = nil } }
}
