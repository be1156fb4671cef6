import PawlCore
import Synchronization

extension DownloadDriver {
    /// The driver's view of the shared cookie jar.
    struct CookieState {
        /// The version of the jar that the machine has.
        var version = 0
        var hasSuffixes = false
        /// Events that arrived while the list of public suffixes was being read, in order.
        var isReading = false
        var heldBack: [(ExchangeID, DownloadEvent)] = []
    }

    /// Returns the cookies that other downloads have stored. The machine is told about them before any event that may
    /// make it send a request.
    func sharedCookies() -> [DownloadEvent] {
        let (version, hasSuffixes, hasMachine) = state.withLock {
            ($0.cookies.version, $0.cookies.hasSuffixes, $0.machine != nil)
        }
        guard hasMachine else { return [] }
        var events: [DownloadEvent] = []
        if let (jar, newest) = ports.cookies.jar(after: version) {
            state.withLock { $0.cookies.version = newest }
            events.append(.cookiesChanged(jar))
        }
        if !hasSuffixes, let list = ports.cookies.suffixes {
            state.withLock { $0.cookies.hasSuffixes = true }
            events.append(.publicSuffixes(list))
        }
        return events
    }

    /// Whether an event of an exchange has to wait until the list of public suffixes was read. All that come after it
    /// wait too.
    func holdsBack(_ id: ExchangeID, _ event: DownloadEvent) -> Bool {
        let isReading = state.withLock { state in
            if state.cookies.isReading { state.cookies.heldBack.append((id, event)) }
            return state.cookies.isReading
        }
        if isReading { return true }
        guard case .received(_, let head) = event, ports.cookies.needsSuffixes(for: head) else { return false }
        state.withLock { state in
            state.cookies.isReading = true
            state.cookies.heldBack = [(id, event)]
        }
        ports.runtime.diskExecutor.submit { [self] in
            ports.cookies.loadSuffixes()
            post { self.letThrough() }
        }
        return true
    }

    private func letThrough() {
        let events = state.withLock { state in
            state.cookies.isReading = false
            defer { state.cookies.heldBack = [] }
            return state.cookies.heldBack
        }
        for (id, event) in events { fromWriter(id, event) }
    }
}
