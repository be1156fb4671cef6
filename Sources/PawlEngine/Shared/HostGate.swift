package import PawlCore
import Synchronization

/// The limit of connections per host, shared by all downloads that have the same ``Ports``: a lock around a
/// ``HostRegistry``. It also tells them of the timetable's pauses.
package final class HostGate: Sendable {
    package typealias Owner = HostRegistry.Owner

    /// Signals to a download, on any thread.
    package enum Signal: Hashable, Sendable {
        /// A connection to this host is kept for it, until it takes or declines it.
        case freed(String)
        /// The download is asked to release a connection to this host.
        case yield(String)
        /// ``HostGate/pause`` is another.
        case timetable
    }

    private struct State {
        var registry: HostRegistry
        var observers: [Owner: @Sendable (Signal) -> Void] = [:]
        var nextOwner: UInt64 = 1
        var pause: SpeedSchedule.Pause?
    }

    private let state: Locked<State>

    package init(limit: Int = .max) { state = Locked(State(registry: HostRegistry(limit: limit))) }

    /// A download enters, and is told by `observer` what concerns it until it leaves.
    package func enter(_ observer: @escaping @Sendable (Signal) -> Void) -> Owner {
        state.withLock { state in
            defer { state.nextOwner += 1 }
            let owner = Owner(state.nextOwner)
            state.observers[owner] = observer
            return owner
        }
    }

    /// Another observer is told in place of the former one.
    func hand(_ owner: Owner, to observer: @escaping @Sendable (Signal) -> Void) {
        state.withLock { $0.observers[owner] = observer }
    }

    package func leave(_ owner: Owner, at now: Instant) {
        tell { state in
            state.observers[owner] = nil
            return state.registry.leave(owner, at: now).map { ($0.owner, .freed($0.host)) }
        }
    }

    /// The same for a download that has asked for connections to this host alone.
    ///
    /// - Parameter wasServed: ``serves(_:)`` had been said of it.
    func leave(_ owner: Owner, _ host: String, wasServed: Bool, at now: Instant) {
        tell { state in
            state.observers[owner] = nil
            return state.registry.leave(owner, host, wasServed: wasServed, at: now).map { ($0.owner, .freed($0.host)) }
        }
    }

    /// Whether one more exchange with the host may be opened now. If not, a signal will come.
    package func claim(_ host: String, for owner: Owner, isExtra: Bool = false, at now: Instant) -> Bool {
        var isGranted = false
        tell { state in
            switch state.registry.claim(host, for: owner, isExtra: isExtra, at: now) {
            case .granted:
                isGranted = true
                return []
            case .refused(let largest): return largest.map { [($0, .yield(host))] } ?? []
            }
        }
        return isGranted
    }

    /// - Parameter wasServed: ``serves(_:)`` had been said of it.
    package func giveBack(_ host: String, _ owner: Owner, wasServed: Bool = false, at now: Instant) {
        tell { $0.registry.giveBack(host, owner, wasServed: wasServed, at: now).map { ($0.owner, .freed($0.host)) } }
    }

    /// From now on all connections of an extra download count for the limit.
    func countFully(_ owner: Owner) { state.withLock { $0.registry.countFully(owner) } }

    package func release(_ host: String, _ owner: Owner, at now: Instant) {
        tell { $0.registry.release(host, owner, at: now).map { ($0.owner, .freed($0.host)) } }
    }

    package func decline(_ host: String, _ owner: Owner, at now: Instant) {
        tell { $0.registry.decline(host, owner, at: now).map { ($0.owner, .freed($0.host)) } }
    }

    package func yields(_ host: String, _ owner: Owner) { state.withLock { $0.registry.yields(host, owner) } }

    /// The host accepted a granted exchange, and serves it.
    package func serves(_ host: String) { state.withLock { $0.registry.serves(host) } }

    /// The host refused an exchange. Returns how many connections it accepts, if that was learned.
    package func refused(_ host: String, isClosed: Bool, at now: Instant) -> Int? {
        state.withLock { $0.registry.refused(host, isClosed: isClosed, at: now) }
    }

    package func setCap(_ host: String, _ count: Int, at now: Instant) {
        state.withLock { $0.registry.setCap(host, count, at: now) }
    }

    package func liftCap(_ host: String, at now: Instant) {
        tell { $0.registry.liftCap(host, at: now).map { ($0.owner, .freed($0.host)) } }
    }

    package func cap(of host: String) -> Int? { state.withLock { $0.registry.cap(of: host) } }

    package func open(to host: String) -> Int { state.withLock { $0.registry.open(to: host) } }

    /// Whether no other has a connection to the host.
    package func isAlone(_ owner: Owner, at host: String) -> Bool {
        state.withLock { $0.registry.open(to: host) <= $0.registry.held(by: owner, at: host) }
    }

    /// Connections per host. Of fewer than are open, those that hold several are asked for some at once.
    package var limit: Int { state.withLock { $0.registry.limit } }

    /// - Parameter most: the limit with the connections of extra downloads; nil: the same.
    package func setLimit(_ limit: Int, most: Int? = nil, at now: Instant) {
        tell { state in
            let (woken, asked) = state.registry.setLimit(limit, most: most, at: now)
            return woken.map { ($0.owner, .freed($0.host)) } + asked.map { ($0.owner, .yield($0.host)) }
        }
    }

    /// The timetable's pause that holds now. Setting it tells all downloads.
    package var pause: SpeedSchedule.Pause? {
        get { state.withLock { $0.pause } }
        set {
            tell { state in
                guard state.pause != newValue else { return [] }
                state.pause = newValue
                return state.observers.keys.map { ($0, .timetable) }
            }
        }
    }

    /// Changes the registry under the lock, and tells those concerned after it.
    private func tell(_ change: (inout State) -> [(Owner, Signal)]) {
        let signals = state.withLock { state -> [(@Sendable (Signal) -> Void, Signal)] in
            let signals = change(&state)
            if signals.isEmpty { return [] }
            return signals.compactMap { owner, signal in state.observers[owner].map { ($0, signal) } }
        }
        for (observer, signal) in signals { observer(signal) }
    }
}
