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
        var name = ""
        /// The name is ours.
        var isNamed = false
        /// All bytes are there.
        var isWhole = false
        var relay: Relay?
        var owner: HostGate.Owner?
        var patience: (any ScheduledWork)?
        /// Told to whoever takes over.
        var interruption: (@Sendable (any RunningDownload) -> Void)?
    }

    /// The longest time that a file may take: then it goes on as a download that keeps what has come.
    private static let patience: Duration = .seconds(1)

    private let fetch: SmallFetch
    private let spec: DownloadSpec
    private let ports: Ports
    private let listener: RunListener
    private let executor: any WorkExecutor
    private let promotion: @Sendable (Handover?) -> Result<any RunningDownload, DownloadError>
    private let state = Locked(State())

    /// - Parameter promotion: begins the download that takes over; fails with what keeps it from being begun.
    /// - Returns: nil where the download asks for more than the ordinary case.
    package init?(
        _ spec: DownloadSpec, ports: Ports, listener: RunListener,
        promotion: @escaping @Sendable (Handover?) -> Result<any RunningDownload, DownloadError>
    ) {
        guard ports.runsSmall, ports.gate.pause == nil, spec.onlyAsks == nil, spec.limiter?.isLimited != true,
            ports.desk.serves(spec.directory), TargetInspection.findsNothing(spec, ports),
            let fetch = SmallFetch(
                spec.settings, limit: ports.largestHeldFile, cookies: ports.cookies.jar,
                wallClock: ports.runtime.secondsSinceEpoch)
        else { return nil }
        (self.fetch, self.spec, self.ports, self.listener, self.promotion) = (fetch, spec, ports, listener, promotion)
        executor = ports.runtime.makeControlExecutor()
    }

    private var host: String { fetch.url.hostKey }

    package func start() {
        let owner = ports.gate.enter { [weak self] signal in self?.hear(signal) }
        guard ports.gate.claim(host, for: owner, at: ports.runtime.now) else {
            ports.gate.leave(owner, at: ports.runtime.now)
            return promote()
        }
        let relay = Relay(
            TransportRequest(url: fetch.url, fields: fetch.fields), judge: self, executor: executor)
        let patience = ports.runtime.schedule(after: Self.patience, on: executor) { [weak self] in
            // A name is waited for in either way.
            guard let self, !state.withLock({ $0.isWhole }) else { return }
            giveWay()
        }
        state.withLock { state in
            (state.relay, state.owner, state.patience) = (relay, owner, patience)
        }
        relay.attach(ports.transport.start(relay.request, handler: relay))
    }

    // MARK: Interruptions

    package func pause() { interrupt { $0.pause() } }

    package func cancel() { interrupt { $0.cancel() } }

    private func interrupt(_ call: @escaping @Sendable (any RunningDownload) -> Void) {
        let successor = state.withLock { state -> (any RunningDownload)? in
            switch state.phase {
            case .asking, .gathering: state.interruption = call
            case .promoted(let successor?): return successor
            case .promoted(nil): state.interruption = call
            // The run ends within a moment.
            case .finishing, .over: break
            }
            return nil
        }
        if let successor { call(successor) } else { giveWay() }
    }

    private func hear(_ signal: HostGate.Signal) {
        switch signal {
        case .timetable: giveWay()
        // A single connection is neither shared nor waited for.
        case .freed, .yield: break
        }
    }

    // MARK: Naming

    private func takeName() {
        let name = state.withLock { $0.name }
        guard listener.mayTake(name) else { return promote() }
        let isDue = state.withLock { state in
            guard case .gathering = state.phase else { return false }
            state.isNamed = true
            return state.beginFinishing()
        }
        listener.named(name)
        if isDue { finish() }
    }

    // MARK: Finishing

    private func finish() {
        guard let found = state.withLock({ $0.found }) else { return }
        listener.progress(progress(.finishing, of: found))
        if let place = ports.desk.known(spec.directory, at: ports.runtime.now) { return add(to: place, found) }
        ports.desk.executor.submit { [self] in
            guard let place = try? ports.desk.look(at: spec.directory, ports.storage) else { return promote() }
            add(to: place, found)
        }
    }

    private func add(to place: DirectoryDesk.Place, _ found: Representation) {
        let (name, body) = state.withLock { ($0.name, $0.relay?.body ?? []) }
        guard place.isFree(name), Int64(body.count) == found.total else { return promote() }
        let now = ports.runtime.secondsSinceEpoch
        let marker = spec.markerNumber.map {
            CompletionMarker(number: $0, size: Int64(body.count), isComplete: true, isVerified: false)
        }
        let file = HeldFinish(
            body, as: name, in: place, ports,
            carrying: FileFacts(spec.settings, found, matched: [], wallClock: now), of: found, marker: marker,
            keepsReceipt: spec.keepsReceipt)
        ports.finishing.add(file, syncs: spec.settings.options.sync != .none) { [self] outcome in
            switch outcome {
            case .named(let name, let trace, let reports): finished(found, name, trace, reports)
            case .ordinary: promote()
            case .failed(let error): promote(after: error)
            }
        }
    }

    private func finished(_ found: Representation, _ name: String, _ trace: FileTrace?, _ reports: [DownloadReport]) {
        let patience = state.withLock { state in
            state.phase = .over
            state.relay = nil
            defer { state.patience = nil }
            return state.patience
        }
        patience?.cancel()
        reports.forEach(listener.report)
        listener.progress(progress(.completed, of: found))
        listener.ended(
            DownloadDriver.Ending(
                phase: .completed(.init(isComplete: true, isVerified: false)), directory: spec.directory,
                fileName: name, total: found.total, representation: found, finalURL: fetch.url, sources: [fetch.url],
                stored: found.total ?? 0, trace: trace))
    }

    private func progress(_ state: DownloadProgress.State, of found: Representation) -> DownloadProgress {
        let total = found.total ?? 0
        var progress = DownloadProgress(
            state: state, bytesStored: total, totalBytes: total, storedRanges: [ByteRange(0..<total)])
        progress.canResume = found.isCombinable
        return progress
    }

    // MARK: Promoting

    /// Goes on as an ordinary download, if it is not about to end: a file that is being made is left to.
    package func giveWay() {
        let isLeft = state.withLock { state in
            if case .finishing = state.phase { true } else { false }
        }
        if !isLeft { promote() }
    }

    private func promote(after error: StorageError? = nil) {
        executor.submit { self.promoteNow(after: error) }
    }

    private func promoteNow(after error: StorageError?) {
        let taken = state.withLock {
            state -> (relay: Relay?, owner: HostGate.Owner?, patience: (any ScheduledWork)?)? in
            switch state.phase {
            case .promoted, .over: return nil
            case .asking, .gathering, .finishing: break
            }
            state.phase = .promoted(nil)
            defer { (state.relay, state.owner, state.patience) = (nil, nil, nil) }
            return (state.relay, state.owner, state.patience)
        }
        guard let taken else { return }
        taken.patience?.cancel()
        let permit = taken.owner.map { (owner: $0, host: host) }
        do throws(DownloadError) {
            let handover = taken.relay.map { Handover(relay: $0, permit: permit, storageError: error) }
            let successor = try promotion(handover).get()
            let interruption = state.withLock { state in
                state.phase = .promoted(successor)
                defer { state.interruption = nil }
                return state.interruption
            }
            interruption?(successor)
        } catch {
            taken.relay?.abandon()
            if let permit { ports.gate.leave(permit.owner, at: ports.runtime.now) }
            state.withLock { $0.phase = .over }
            listener.ended(
                DownloadDriver.Ending(
                    phase: .failed(error), directory: spec.directory, finalURL: fetch.url, sources: [], stored: 0))
        }
    }
}

extension SmallRun: RelayJudge {
    func accepts(_ head: ResponseHead) -> Int? {
        let judgement = fetch.judge(head, wallClock: ports.runtime.secondsSinceEpoch)
        guard case .take(let found, let name) = judgement, let total = found.total,
            state.withLock({ state in
                guard case .asking = state.phase else { return false }
                (state.phase, state.found, state.name) = (.gathering, found, name)
                return true
            })
        else { return nil }
        ports.gate.serves(host)
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
            let now = ports.runtime.now
            ports.gate.giveBack(host, owner, wasServed: true, at: now)
            ports.gate.leave(owner, at: now)
        }
        if isDue { finish() }
    }

    func strayed() { promote() }
}

extension SmallRun.State {
    /// Returns true once: when all bytes are there and the name is ours.
    fileprivate mutating func beginFinishing() -> Bool {
        guard case .gathering = phase, isWhole, isNamed else { return false }
        phase = .finishing
        return true
    }
}
