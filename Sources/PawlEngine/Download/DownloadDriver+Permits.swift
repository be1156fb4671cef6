import PawlCore
import Synchronization

/// The driver at the gate: a permit for each exchange that it opens, given back when that has ended.
extension DownloadDriver {
    struct Permits {
        var owner: HostGate.Owner?
        /// The hosts of the exchanges that are open.
        var open: [ExchangeID: String] = [:]
        /// The exchanges whose responses were accepted.
        var served: Set<ExchangeID> = []
        /// The hosts of the exchanges that were refused a permit and wait for one.
        var awaitingPermit: [ExchangeID: String] = [:]
        /// Requested, but the machine has not yet been told the answer. By host.
        var asking: [String: Int] = [:]
        /// Reserved for us before the machine knew that it waits.
        var freedEarly: Set<String> = []
        /// Exchanges that were taken over, and not asked for, until they are closed.
        var dropped = 0
        /// The download has ended, though its last exchanges may not have.
        var isLeaving = false
        /// All connections count, although it began as an extra download.
        var countsFully = false
    }

    func enterGate() {
        let observer: @Sendable (HostGate.Signal) -> Void = { [weak self] word in
            self.map { driver in driver.post { driver.hear(word) } }
        }
        let taken = state.withLock { $0.handover?.permit?.owner }
        if let taken { ports.gate.hand(taken, to: observer) }
        let owner = taken ?? ports.gate.enter(observer)
        state.withLock { $0.permits.owner = owner }
    }

    func leaveGate() {
        state.withLock { state in
            state.permits.isLeaving = true
            state.permits.awaitingPermit = [:]
        }
        leaveIfDone()
    }

    /// Leaves the gate once the download has ended and all its exchanges are closed. Until then, open ones count.
    private func leaveIfDone() {
        let owner = state.withLock { state -> HostGate.Owner? in
            guard state.permits.isLeaving, state.permits.open.isEmpty, state.permits.dropped == 0 else { return nil }
            defer { state.permits.owner = nil }
            return state.permits.owner
        }
        if let owner { ports.gate.leave(owner, at: ports.runtime.now) }
    }

    /// Whether the exchange may be opened now. If not, the machine is told.
    func takePermit(_ id: ExchangeID, _ url: HTTPURL) -> Bool {
        let host = url.hostKey
        let (known, isExtra) = state.withLock { state in
            if state.permits.owner != nil { state.permits.asking[host, default: 0] += 1 }
            return (state.permits.owner, plan.isExtra && !state.permits.countsFully)
        }
        guard let owner = known else { return false }
        if ports.gate.claim(host, for: owner, isExtra: isExtra, at: ports.runtime.now) == .granted {
            state.withLock { state in
                state.permits.awaitingPermit[id] = nil
                state.permits.open[id] = host
            }
            answered(host)
            return true
        }
        post { [self] in
            state.withLock { $0.permits.awaitingPermit[id] = host }
            // An additional connection is not waited for; the download stays among the holders that want another one.
            let isAwaited = handle(.permitRefused(id)).contains(.awaitPermit(id, host: host))
            if !isAwaited { state.withLock { $0.permits.awaitingPermit[id] = nil } }
            answered(host)
            // An extra download has no place at the gate. One that is no longer extra asks for it.
            if isExtra, isAwaited, state.withLock({ $0.permits.countsFully }) { post { self.hear(.freed(host)) } }
        }
        return false
    }

    /// Counts all connections of an extra download that is not small.
    func countIfLarge(_ progress: DownloadProgress) {
        guard max(progress.totalBytes ?? 0, progress.bytesStored) > SmallFileBudget.largest else { return }
        let owner = state.withLock { state -> HostGate.Owner? in
            defer { state.permits.countsFully = true }
            return state.permits.countsFully ? nil : state.permits.owner
        }
        if let owner { ports.gate.countFully(owner) }
    }

    /// The machine knows the answer. Connections reserved in between are reported now; earlier, it would have declined
    /// them.
    private func answered(_ host: String) {
        let isFreed = state.withLock { state in
            let rest = state.permits.asking[host, default: 1] - 1
            state.permits.asking[host] = rest > 0 ? rest : nil
            return rest <= 0 && state.permits.freedEarly.remove(host) != nil
        }
        if isFreed { post { self.hear(.freed(host)) } }
    }

    /// Notes that the response of an exchange is what was requested.
    func noteServed(_ id: ExchangeID) {
        let host = state.withLock { state -> String? in
            guard let host = state.permits.open[id], state.permits.served.insert(id).inserted else { return nil }
            return host
        }
        if let host { ports.gate.serves(host) }
    }

    /// The permit of an exchange that was taken over.
    func keepPermit(_ id: ExchangeID, of handover: Handover) {
        state.withLock { state in
            state.permits.open[id] = handover.permit?.host
            if handover.isServed { state.permits.served.insert(id) }
        }
    }

    func takeHandover() -> Handover? {
        state.withLock { state in
            defer { state.handover = nil }
            return state.handover
        }
    }

    /// Lets go of an exchange that the machine did not ask for.
    func drop(_ handover: Handover) {
        let hasEntered = state.withLock { state in
            guard state.permits.owner != nil else { return false }
            state.permits.dropped += 1
            return true
        }
        guard hasEntered else { return handover.drop(ports) }
        handover.drop(ports) { [self] in
            state.withLock { $0.permits.dropped -= 1 }
            leaveIfDone()
        }
    }

    /// Gives back the permit of an exchange that has ended, whatever the reason.
    func giveBackPermit(_ id: ExchangeID) {
        let (host, owner, wasServed) = state.withLock { state in
            (state.permits.open.removeValue(forKey: id), state.permits.owner, state.permits.served.remove(id) != nil)
        }
        if let host, let owner { ports.gate.giveBack(host, owner, wasServed: wasServed, at: ports.runtime.now) }
        leaveIfDone()
    }

    /// Cancels an exchange that was never opened.
    func cancelAwaitingPermit(_ id: ExchangeID) {
        guard let host = state.withLock({ $0.permits.awaitingPermit.removeValue(forKey: id) }) else { return }
        declineIfUnused(host)
        post { self.handle(.ended(id, stored: 0, .cancelled)) }
    }

    func hear(_ signal: HostGate.Signal) {
        switch signal {
        case .freed(let host):
            let isEarly = state.withLock { state in
                guard state.permits.asking[host] != nil else { return false }
                state.permits.freedEarly.insert(host)
                return true
            }
            guard !isEarly else { return }
            handle(.hostFreed(host))
            // Connections that the machine did not use go to the next download.
            if let owner = state.withLock({ $0.permits.owner }) {
                ports.gate.release(host, owner, at: ports.runtime.now)
            }
        case .yield(let host):
            state.withLock { $0.permits.owner }.map { ports.gate.yields(host, $0) }
            handle(.yieldConnection(host))
        case .timetable: handle(.timetable(ports.gate.pause))
        }
    }

    private func declineIfUnused(_ host: String) {
        if !state.withLock({ $0.permits.awaitingPermit.values.contains(host) }) { decline(host) }
    }

    private func decline(_ host: String) {
        guard let owner = state.withLock({ $0.permits.owner }) else { return }
        ports.gate.decline(host, owner, at: ports.runtime.now)
    }
}
