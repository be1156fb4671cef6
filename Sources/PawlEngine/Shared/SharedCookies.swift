package import PawlCore
import Synchronization

/// The cookies that all downloads of a manager share, and the list of public suffixes, which is read once it is needed.
package final class SharedCookies: Sendable {
    private struct State {
        var jar = CookieJar()
        /// The caller's cookies, without those that servers have set since.
        var given = CookieJar()
        /// Goes up with each change.
        var version = 0
        var hasReadSuffixes = false
        var suffixes: PublicSuffixList?
    }

    private let state: Locked<State>
    private let readSuffixes: @Sendable () -> PublicSuffixList?

    /// - Parameter readSuffixes: blocks; nil where the system has no list.
    package init(_ jar: CookieJar = CookieJar(), readSuffixes: @escaping @Sendable () -> PublicSuffixList? = { nil }) {
        var state = State()
        state.jar = jar
        state.given = jar
        self.state = Locked(state)
        self.readSuffixes = readSuffixes
    }

    package var jar: CookieJar { state.withLock { $0.jar } }

    /// The caller's cookies. They identify the caller, and stay the same while servers set others.
    package var given: CookieJar { state.withLock { $0.given } }

    /// The jar as it is now and its version; nil when that is the one that is known.
    func jar(after version: Int) -> (CookieJar, Int)? {
        state.withLock { $0.version == version ? nil : ($0.jar, $0.version) }
    }

    package func store(_ lines: [String], from url: HTTPURL, wallClock secondsSinceEpoch: Int64) {
        let suffixes = suffixes
        state.withLock { state in
            if state.jar.store(lines, from: url, wallClock: secondsSinceEpoch, suffixes: suffixes) {
                state.version += 1
            }
        }
    }

    /// Changes the jar on behalf of the caller.
    ///
    /// - Parameter body: called for each jar that is to be changed.
    package func change(_ body: (inout CookieJar) -> Void) {
        state.withLock { state in
            body(&state.given)
            let before = state.jar
            body(&state.jar)
            if state.jar != before { state.version += 1 }
        }
    }

    // MARK: Public suffixes

    /// The list that was read; nil if none was, or there is nothing to read.
    package var suffixes: PublicSuffixList? { state.withLock { $0.suffixes } }

    /// Whether an answer cannot be judged before the list was read: it wants a cookie to go to more than its own
    /// host, or the jar is full and somebody's cookies have to make room.
    package func needsSuffixes(for head: ResponseHead) -> Bool {
        let lines = head.fields.values("set-cookie")
        if lines.isEmpty { return false }
        let isWidened = lines.contains { $0.lowercased().contains("domain") }
        return state.withLock { !$0.hasReadSuffixes && (isWidened || $0.jar.mayOverflow(adding: lines.count)) }
    }

    /// Blocks the first time.
    @discardableResult
    package func loadSuffixes() -> PublicSuffixList? {
        if state.withLock({ $0.hasReadSuffixes }) { return suffixes }
        let list = readSuffixes()
        return state.withLock { state in
            state.suffixes = list
            state.hasReadSuffixes = true
            return list
        }
    }
}
