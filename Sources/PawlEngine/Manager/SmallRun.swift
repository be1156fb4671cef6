package import PawlCore
import Synchronization

/// A download while it is the ordinary case (``SmallFetch``): one request, one answer held in memory, one file that a
/// ``FinishingGroup`` makes.
///
/// Any other answer is promoted: a ``DownloadDriver`` takes the exchange over and decides, as if it had asked. A file
/// that takes longer than a second is promoted too, so that its bytes survive the program.
package final class SmallRun: RunningDownload {
    fileprivate enum Phase {
        case asking
        /// The answer is being gathered in memory.
        case gathering
        /// The file is being made. Only this can still fail.
        case finishing
        /// Another has taken over; nil until it is there.
        case promoted((any RunningDownload)?)
        case over
    }

    fileprivate struct State {
        var phase = Phase.asking
        var found: Representation?
        var response: ResponseFacts?
        var name = ""
        /// Readers know that it waited for a connection.
        var hasToldOfWait = false
        /// All bytes are there.
        var isWhole = false
        /// The directory, in which the name is free.
        var place: DirectoryDesk.Place?
        var relay: Relay?
        var owner: HostGate.Owner?
        /// Told to whoever takes over.
        var interruption: (@Sendable (any RunningDownload) -> Void)?
    }

    private let fetch: SmallFetch
    private let plan: Plan
    private let ports: Ports
    private let listener: any RunListener
    private let executor: any WorkExecutor
    private let promotion: @Sendable (Handover?) -> Result<any RunningDownload, DownloadError>
    private let state = Locked(State())

    /// - Parameter promotion: begins the download that takes over; fails with what keeps it from being begun.
    /// - Returns: nil where the download asks for more than the ordinary case.
    package init?(
        _ plan: Plan, ports: Ports, listener: any RunListener,
        promotion: @escaping @Sendable (Handover?) -> Result<any RunningDownload, DownloadError>
    ) {
        guard ports.runsSmall, ports.gate.pause == nil, plan.onlyAsks == nil, plan.limiter?.isLimited != true,
            plan.settings.digest.map({ ports.digests.computes($0.algorithm) }) ?? true,
            plan.settings.options.computedDigest.map(ports.digests.computes) ?? true,
            !plan.adoptsPartialFile, !plan.onlyIfNewer,
            ports.desk.serves(plan.directory, marked: plan.keepsReceipt),
            ports.journals.hasNone(in: plan.directory, at: ports.runtime.now) != false,
            let fetch = SmallFetch(
                plan.settings, limit: ports.largestHeldFile, cookies: ports.cookies.jar,
                wallClock: ports.runtime.secondsSinceEpoch)
        else { return nil }
        (self.fetch, self.plan, self.ports, self.listener, self.promotion) = (fetch, plan, ports, listener, promotion)
        executor = ports.runtime.makeControlExecutor()
    }

    private var host: String { fetch.url.hostKey }

    package func start() {
        let gate = ports.gate
        let owner = gate.enter { [weak self] signal in self?.hear(signal) }
        let isAsking = state.withLock { state in
            guard case .asking = state.phase else { return false }
            state.owner = owner
            return true
        }
        guard isAsking else { return gate.leave(owner, at: ports.runtime.now) }
        // A pause that began before was told to those that had entered.
        guard gate.pause == nil else { return promote() }
        // After a second, a driver takes over, so that the bytes survive the program.
        ports.smallRunPatience.wait { [weak self] in
            // A name is waited for in either way.
            guard let self, !state.withLock({ $0.isWhole }) else { return }
            giveWay()
        }
        let wanted = plan.fileName ?? plan.nameToLeave
        if wanted == nil, hasNoJournals { return ask() }
        ports.desk.find(plan.directory, ports.storage) { [self] place in
            // Where something of the file may be there, the host is not asked before that was looked at.
            guard let place, hasNoJournals else { return promote() }
            guard let name = wanted else { return ask() }
            ports.desk.lacks(name, verifying: fetch.digest, in: place) { [self] in if $0 { ask() } else { promote() } }
        }
    }

    private var hasNoJournals: Bool { ports.journals.hasNone(in: plan.directory, at: ports.runtime.now) == true }

    /// Sends the request, if there is a connection for it; else a signal will come.
    private func ask() {
        guard let owner = state.withLock({ $0.isWaitingToAsk ? $0.owner : nil }) else { return }
        let claim = ports.gate.claim(host, for: owner, isExtra: plan.isExtra, at: ports.runtime.now)
        guard claim == .granted else {
            // An extra one is not waited for, and its successor says so to the queue.
            if claim == .refused, plan.isExtra { return promote() }
            // A run that was promoted meanwhile may have left the gate before it claimed.
            guard state.withLock({ $0.isWaitingToAsk }) else {
                return ports.gate.decline(host, owner, at: ports.runtime.now)
            }
            // Nobody has to give way to one that is due in a moment.
            return claim == .early ? () : executor.submit { self.tellOfWait() }
        }
        let relay = Relay(
            TransportRequest(url: fetch.url, fields: fetch.fields), judge: self, runtime: ports.runtime,
            executor: executor)
        let isAsking = state.withLock { state in
            guard state.isWaitingToAsk else { return false }
            state.relay = relay
            return true
        }
        guard isAsking else { return ports.gate.giveBack(host, owner, at: ports.runtime.now) }
        if state.withLock({ $0.hasToldOfWait }) { listener.progressed(DownloadProgress(state: .running(.probing))) }
        relay.attach(ports.transport.start(relay.request, handler: relay))
    }

    /// Tells that there is no connection to the host, unless one came meanwhile.
    private func tellOfWait() {
        let isDue = state.withLock { state in
            state.hasToldOfWait = state.isWaitingToAsk
            return state.hasToldOfWait
        }
        guard isDue else { return }
        listener.progressed(DownloadProgress(state: .waiting(.hostLimit(host: fetch.url.host))))
    }

    /// Takes the connection that is kept for it, and passes on what it does not need.
    private func takeConnection() {
        ask()
        if let owner = state.withLock({ $0.owner }) { ports.gate.release(host, owner, at: ports.runtime.now) }
    }

    // MARK: Interruptions

    package func pause() { interrupt { $0.pause() } }

    package func cancel() { interrupt { $0.cancel() } }

    private func interrupt(_ call: @escaping @Sendable (any RunningDownload) -> Void) {
        let successor = state.withLock { state -> (any RunningDownload)? in
            switch state.phase {
            // One that finishes ends within a moment, unless it is promoted.
            case .asking, .gathering, .finishing, .promoted(nil): state.interruption = call
            case .promoted(let successor?): return successor
            case .over: break
            }
            return nil
        }
        if let successor { call(successor) } else { giveWay() }
    }

    private func hear(_ signal: HostGate.Signal) {
        switch signal {
        case .timetable: giveWay()
        // In turn with what is told of the wait.
        case .freed: executor.submit { self.takeConnection() }
        // A single connection is not shared.
        case .yield: break
        }
    }

    // MARK: Naming

    /// Claims the name, which is this download's turn. Nothing of it is told before the file has it: after
    /// a restart, a name stands for one that was looked at.
    private func takeName() {
        guard let name = state.withLock({ $0.phase.isGathering ? $0.name : nil }) else { return }
        guard listener.mayTake(name) else { return promote() }
        ports.desk.find(plan.directory, ports.storage) { [self] place in
            guard let place, place.isFree(name), place.holds(name) != true,
                plan.fileName != nil || !place.mayHoldMismatch(of: name, fetch.digest)
            else { return promote() }
            guard state.withLock({ $0.phase.isGathering }) else { return }
            listener.claimed()
            let isDue = state.withLock { state in
                state.place = place
                return state.beginFinishing()
            }
            if isDue { finish() }
        }
    }

    // MARK: Finishing

    private func finish() {
        let (found, name, place, relay) = state.withLock { ($0.found, $0.name, $0.place, $0.relay) }
        let body = relay?.body ?? []
        guard let found, let place, Int64(body.count) == found.total else { return promote(isFinishing: true) }
        // Its place in the queue is another's from now on.
        listener.progressed(finishing(found))
        let digests = HeldDigests(
            expected: fetch.digest, computed: plan.settings.options.computedDigest, factory: ports.digests)
        if let receiver = plan.receiver {
            let file = ReceivedFinish(body, as: name, in: place, ports.desk, checking: digests, to: receiver) {
                [self] in
                FinishedFacts(ending(found, name, $0, nil), outcome)
            }
            return ports.finishing.add(file, syncs: false) { [self] in ended(found, $0) }
        }
        let now = ports.runtime.secondsSinceEpoch
        let marker = plan.markerNumber.map {
            CompletionMarker(number: $0, size: Int64(body.count), isComplete: true, isVerified: isVerified)
        }
        // The end tells the name, too, and only a session has to know it before.
        var named: (@Sendable () -> Void)?
        if plan.keepsReceipt { named = { [listener] in listener.named(name) } }
        let file = HeldFinish(
            body, as: name, in: place, ports, mayExist: plan.existingFilePolicy != .fail && place.holds(name) == nil,
            carrying: FileFacts(plan.settings, found, matched: fetch.digest.map { [$0] } ?? [], wallClock: now),
            of: found, marker: marker, checking: digests, keepsReceipt: plan.keepsReceipt, named: named)
        ports.finishing.add(file, syncs: plan.settings.options.sync != .none) { [self] in ended(found, $0) }
    }

    /// A file that does not have its digest is not made here.
    private var isVerified: Bool { fetch.digest != nil }

    private func ended(_ found: Representation, _ outcome: FinishingGroup.Outcome) {
        switch outcome {
        case .named(let file): finished(found, file)
        case .ordinary: promote(isFinishing: true)
        case .failed(let error):
            let name = state.withLock { $0.name }
            guard endFinishing() else { return }
            // The file has it.
            listener.named(name)
            fail(.storage(error, directory: plan.directory))
        }
    }

    private func finished(_ found: Representation, _ file: FinishingGroup.FinishedName) {
        guard endFinishing() else { return }
        file.reports.forEach(listener.reported)
        listener.ended(ending(found, file.name, file.digest, file.trace))
    }

    private var outcome: DownloadMachine.Outcome { .init(isComplete: true, isVerified: isVerified) }

    private func ending(
        _ found: Representation, _ name: String, _ digest: Digest?, _ trace: FileTrace?
    ) -> DownloadDriver.Ending {
        DownloadDriver.Ending(
            phase: .completed(outcome), directory: plan.directory, fileName: name, total: found.total,
            representation: found, response: state.withLock { $0.response }, digest: digest, finalURL: fetch.url,
            sources: [fetch.url], stored: found.total ?? 0, trace: trace)
    }

    /// Ends the run, if it has not ended yet.
    private func endFinishing() -> Bool {
        state.withLock { state in
            guard case .finishing = state.phase else { return false }
            (state.phase, state.relay, state.place, state.interruption) = (.over, nil, nil, nil)
            return true
        }
    }

    private func fail(_ error: DownloadError) {
        listener.ended(
            DownloadDriver.Ending(
                phase: .failed(error), directory: plan.directory, finalURL: fetch.url, sources: [], stored: 0))
    }

    private func finishing(_ found: Representation) -> DownloadProgress {
        let total = found.total ?? 0
        var progress = DownloadProgress(
            state: .running(.finishing), bytesStored: total, totalBytes: total, storedRanges: [ByteRange(0..<total)])
        progress.canResume = found.isCombinable
        return progress
    }

    // MARK: Promoting

    /// Goes on as an ordinary download, if it is not about to end: a file that is being made is left to it.
    package func giveWay() { promote() }

    /// The same before this returns, unless another thread is about to.
    package func giveWayNow() { promoteNow(isFinishing: false) }

    /// - Parameter isFinishing: said by whoever makes the file. Nobody else may, while it is made.
    private func promote(isFinishing: Bool = false) {
        executor.submit { self.promoteNow(isFinishing: isFinishing) }
    }

    private func promoteNow(isFinishing: Bool) {
        let taken = state.withLock { state -> State? in
            switch state.phase {
            case .asking, .gathering: break
            case .finishing: if !isFinishing { return nil }
            case .promoted, .over: return nil
            }
            state.phase = .promoted(nil)
            defer { (state.relay, state.place, state.owner) = (nil, nil, nil) }
            return state
        }
        guard let taken else { return }
        if taken.relay == nil, let owner = taken.owner {
            ports.gate.leave(owner, host, wasServed: false, at: ports.runtime.now)
        }
        let handover = taken.relay.map { relay in
            Handover(
                relay: relay, permit: taken.owner.map { (owner: $0, host: host) }, isServed: taken.found != nil)
        }
        do throws(DownloadError) {
            let successor = try promotion(handover).get()
            hand(to: successor, behind: taken.relay)
        } catch {
            handover?.drop(ports)
            state.withLock { $0.phase = .over }
            fail(error)
        }
    }

    /// Tells the successor of interruptions, in order, once it has what had come, so that this is kept.
    private func hand(to successor: any RunningDownload, behind relay: Relay?) {
        let interruption = state.withLock { state in
            if state.interruption == nil { state.phase = .promoted(successor) }
            defer { state.interruption = nil }
            return state.interruption
        }
        guard let interruption else { return }
        let tell: @Sendable () -> Void = { [self] in
            interruption(successor)
            hand(to: successor, behind: relay)
        }
        if let relay { relay.whenCaughtUp(tell) } else { tell() }
    }
}

extension SmallRun: RelayJudge {
    func accepts(_ head: ResponseHead) -> Int? {
        let judgement = fetch.judge(head, wallClock: ports.runtime.secondsSinceEpoch)
        guard case .take(let found, let response, let name) = judgement, let total = found.total,
            state.withLock({ state in
                guard case .asking = state.phase else { return false }
                (state.phase, state.found, state.response, state.name) = (.gathering, found, response, name)
                // In the same step as the phase: whoever takes over knows whether it was said.
                ports.gate.serves(host)
                return true
            })
        else { return nil }
        if let observation = fetch.observation(of: head) { listener.learned(fetch.url, observation) }
        listener.inTurn { [weak self] in self?.takeName() }
        return Int(total)
    }

    func gathered() {
        let (owner, isDue) = state.withLock { state in
            state.isWhole = true
            defer { state.owner = nil }
            return (state.owner, state.beginFinishing())
        }
        if let owner {
            ports.gate.leave(owner, host, wasServed: true, at: ports.runtime.now)
        }
        if isDue { finish() }
    }

    func strayed() { promote() }
}

extension SmallRun.Phase {
    fileprivate var isGathering: Bool { if case .gathering = self { true } else { false } }
}

extension SmallRun.State {
    fileprivate var isWaitingToAsk: Bool { if case .asking = phase { relay == nil } else { false } }

    /// Returns true once: when all bytes are there and the name is ours.
    fileprivate mutating func beginFinishing() -> Bool {
        guard phase.isGathering, isWhole, place != nil else { return false }
        phase = .finishing
        return true
    }
}
