package import PawlCore
import Synchronization

/// The limits of connections and of requests per host, shared by all downloads that have the same ``Ports``: a lock
/// around a ``HostRegistry``. It also tells them of the timetable's pauses.
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

    fileprivate struct State {
        var registry: HostRegistry
        var observers: [Owner: @Sendable (Signal) -> Void] = [:]
        var nextOwner: UInt64 = 1
        var pause: SpeedSchedule.Pause?
        /// The time for which the clock is set.
        var opening: Instant?
    }

    /// The answer to who wants one more connection.
    package enum Claim: Hashable, Sendable {
        case granted
        /// A signal will come, except for an extra download.
        case refused
        /// There is a connection, but the next request is not due; a signal will come.
        case early
    }

    private let state: Locked<State>
    /// Tells when the next request is due; nil without such a limit.
    private let clock: (runtime: any Runtime, executor: any WorkExecutor)?

    package init(limit: Int = .max) {
        state = Locked(State(registry: HostRegistry(limit: limit)))
        clock = nil
    }

    /// Creates a gate that also limits requests, if there is a rate.
    package init(limit: Int, rate: RequestRate?, runtime: any Runtime) {
        state = Locked(State(registry: HostRegistry(limit: limit, rate: rate)))
        clock = rate.map { _ in (runtime, runtime.makeControlExecutor()) }
    }

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

    /// Asks for one more exchange with the host.
    package func claim(_ host: String, for owner: Owner, isExtra: Bool = false, at now: Instant) -> Claim {
        var claim = Claim.granted
        tell { state in
            switch state.registry.claim(host, for: owner, isExtra: isExtra, at: now) {
            case .granted: return []
            case .early:
                claim = .early
                return []
            case .refused(let largest):
                claim = .refused
                return largest.map { [($0, .yield(host))] } ?? []
            }
        }
        return claim
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
        let (signals, opening) = state.withLock { state -> ([(@Sendable (Signal) -> Void, Signal)], Instant?) in
            let signals = change(&state)
            let opening = clock == nil ? nil : state.takeOpening()
            if signals.isEmpty { return ([], opening) }
            return (signals.compactMap { owner, signal in state.observers[owner].map { ($0, signal) } }, opening)
        }
        for (observer, signal) in signals { observer(signal) }
        if let opening, let clock { open(at: opening, by: clock.runtime, clock.executor) }
    }

    private func open(at opening: Instant, by runtime: any Runtime, _ executor: any WorkExecutor) {
        _ = runtime.schedule(after: max(.zero, opening - runtime.now), on: executor) { [weak self] in
            self?.tell { state in
                if state.opening == opening { state.opening = nil }
                return state.registry.open(at: runtime.now).map { ($0.owner, .freed($0.host)) }
            }
        }
    }
}

extension HostGate.State {
    /// Returns the time for which the clock is to be set, if it is not.
    fileprivate mutating func takeOpening() -> Instant? {
        guard let next = registry.nextOpening, opening.map({ next < $0 }) ?? true else { return nil }
        opening = next
        return next
    }
}
