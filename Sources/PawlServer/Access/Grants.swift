import PawlCore
import PawlEngine
import Synchronization

/// Keeps what outlasts its request — event streams, files being sent, sessions of the RPC — together with what allowed
/// it, so that it ends when that is revoked.
final class Grants: Sendable {
    /// The session or the token that allowed a request.
    struct Grant: Hashable, Sendable {
        /// A session, by what the service keeps of it.
        struct Session: Hashable, Sendable {
            /// The hash of the cookie.
            var cookie: ExactText
            /// The hash of the cookie and the key of the request, which is stored until the session ends.
            var proof: ExactText
        }

        /// The session that was shown; nil for the token itself.
        var session: Session?
        /// The token of that time. A session is bound to it as well.
        var generation: Int
    }

    /// A hold on the permission of something that lasts.
    final class Hold: Sendable {
        fileprivate let number: UInt64
        fileprivate let grant: Grant
        fileprivate let end: @Sendable () -> Void
        private let isEnded = Locked(false)
        private let grants: Grants

        fileprivate init(_ number: UInt64, _ grant: Grant, _ grants: Grants, _ end: @escaping @Sendable () -> Void) {
            (self.number, self.grant, self.grants, self.end) = (number, grant, grants, end)
        }

        /// Whether it may go on, asked before anything is told.
        var isValid: Bool { !isEnded.withLock { $0 } && grants.token.generation == grant.generation }

        fileprivate func revoke() {
            isEnded.withLock { $0 = true }
            end()
        }

        /// Forgets what has ended by itself.
        func release() { grants.release(number) }
    }

    private struct State {
        var holds: [UInt64: Hold] = [:]
        var next: UInt64 = 0
        var isWatched = false
    }

    /// The time between two looks at the file of the token, which another process may renew.
    private static let interval = Duration.milliseconds(250)

    private let token: AccessToken
    private let isOpen: @Sendable (Grant.Session) -> Bool
    private let state = Locked(State())

    /// - Parameter isOpen: whether a session has not ended.
    init(_ token: AccessToken, isOpen: @escaping @Sendable (Grant.Session) -> Bool) {
        (self.token, self.isOpen) = (token, isOpen)
    }

    /// - Parameter end: called once, on any thread, when the grant is revoked; before this returns, if it is already.
    func hold(_ grant: Grant, _ end: @escaping @Sendable () -> Void) -> Hold {
        let (hold, mustWatch) = state.withLock { state in
            state.next += 1
            let hold = Hold(state.next, grant, self, end)
            state.holds[state.next] = hold
            defer { state.isWatched = true }
            return (hold, !state.isWatched)
        }
        if mustWatch { watch() }
        // Only now: a session that ends between its request and this has ended in the database before it looks for
        // holds.
        if !hold.isValid || !(grant.session.map(isOpen) ?? true) { revoke { $0 === hold } }
        return hold
    }

    /// Ends what a session holds, once it has ended in the database.
    ///
    /// - Parameter cookie: the hash of its cookie.
    func end(cookie: ExactText) { revoke { $0.grant.session?.cookie == cookie } }

    private func release(_ number: UInt64) { state.withLock { $0.holds[number] = nil } }

    private func revoke(_ isRevoked: (Hold) -> Bool) {
        let revoked = state.withLock { state in
            let revoked = state.holds.values.filter(isRevoked)
            for hold in revoked { state.holds[hold.number] = nil }
            return revoked
        }
        for hold in revoked { hold.revoke() }
    }

    private func watch() {
        Task { [weak self] in while self?.look() ?? false { try? await Task.sleep(for: Self.interval) } }
    }

    /// - Returns: false once there is nothing left to look at.
    private func look() -> Bool {
        let generation = token.generation
        revoke { $0.grant.generation != generation }
        return state.withLock { state in
            state.isWatched = !state.holds.isEmpty
            return state.isWatched
        }
    }
}
