import PawlArchive
import PawlCore

/// What happens to the jobs of a run: resolve → fetch → verify → unpack → hook, with pause, cancel and fail-fast at each step.
///
/// Nothing is fetched before everything is resolved, so that what cannot be done is said before anything has begun. One archive is unpacked at
/// a time, in the order in which they were fetched; fetching goes on beside it.
package struct JobMachine: Sendable {
    package struct Rules: Hashable, Sendable {
        /// The first failure stops everything else.
        package var failsFast = false

        package init() {}
    }

    enum Phase: Hashable {
        case idle
        /// What was found of each job; nil: not yet.
        case resolving([[JobFile]?])
        case working
        /// Nothing begins any more.
        case stopping
        case finished
    }

    private let jobs: [JobSpec]
    private let rules: Rules
    private var phase = Phase.idle
    private var states: [JobFileState] = []
    private var targets = TargetRegistry()
    /// Fetched, and waiting to be unpacked.
    private var unpackQueue: [JobFileID] = []
    private var unpacking: JobFileID?
    private var actions: [JobMachineAction] = []

    package init(_ jobs: [JobSpec], rules: Rules = Rules()) {
        self.jobs = jobs
        self.rules = rules
    }

    /// In the order given, once everything is resolved.
    package var files: [JobFile] { states.map(\.file) }

    package var isFinished: Bool { phase == .finished }

    package mutating func handle(_ event: JobMachineEvent) -> [JobMachineAction] {
        actions = []
        switch event {
        case .start: start()
        case .resolved(let index, let files, let notices): resolved(index, files, notices)
        case .notResolved(let index, let failure): notResolved(index, failure)
        case .stop: stop()
        case .pause(let id): interrupt(id, .pause)
        case .cancel(let id): interrupt(id, .cancel)
        case .resume(let id): resume(id)
        case .fetched(let id, let file): fetched(id, file)
        case .fetchFailed(let id, let failure): if steps(id, [.fetching]) { fail(id, .fetch, failure) }
        case .membersNotAvailable(let id, let failure): membersNotAvailable(id, failure)
        case .fetchStopped(let id): if steps(id, [.fetching]) { stopped(id, at: .fetch) }
        case .waitsForSpace(let id, let error): waits(id, error)
        case .inspected(let id, let inspection): inspected(id, inspection)
        case .unpacked(let id, let isSkipped, let directory): unpacked(id, isSkipped, directory)
        case .archiveRemoved(let id): if steps(id, [.removing]) { conclude(id) }
        case .unpackingFailed(let id, let failure): if steps(id, [.inspecting, .unpacking, .removing]) { fail(id, .unpack, failure) }
        case .unpackingStopped(let id): if steps(id, [.inspecting, .unpacking]) { stopped(id, at: .unpack) }
        case .hookEnded(let id): hookEnded(id)
        }
        endIfAllWaitForSpace()
        unpackNext()
        finishIfOver()
        return actions
    }

    // MARK: Resolving

    private mutating func start() {
        guard phase == .idle else { return }
        phase = .resolving(Array(repeating: nil, count: jobs.count))
        actions += jobs.enumerated().map { .resolve(index: $0.offset, $0.element) }
        planIfResolved()
    }

    private mutating func resolved(_ index: Int, _ files: [JobFile], _ notices: [String]) {
        guard case .resolving(var found) = phase, found.indices.contains(index) else { return }
        if !notices.isEmpty { actions.append(.publish(.noticed(index: index, notices))) }
        found[index] = files
        phase = .resolving(found)
        planIfResolved()
    }

    private mutating func notResolved(_ index: Int, _ failure: JobFailure) {
        guard case .resolving(let found) = phase, found.indices.contains(index) else { return }
        for other in found.indices where found[other] == nil && other != index { actions.append(.stopResolving(index: other)) }
        refuse(failure)
    }

    private mutating func refuse(_ failure: JobFailure) {
        phase = .working
        states = []
        actions.append(.publish(.refused(failure)))
    }

    /// Of equal files one is fetched. Two that would become one file are refused, before anything has begun.
    private mutating func planIfResolved() {
        guard case .resolving(let found) = phase, found.allSatisfy({ $0 != nil }) else { return }
        let all = found.flatMap { $0 ?? [] }
        var known: Set<JobFile> = []
        for file in all where known.insert(file.key).inserted {
            let id = JobFileID(states.count + 1)
            if file.spec.options.ifExists != .rename, let other = targets.plan(file.target, for: id) {
                return refuse(.sameTarget(states[other.number - 1].file, file))
            }
            states.append(JobFileState(file))
        }
        phase = .working
        actions.append(.publish(.planned(repeated: all.count - states.count)))
        for index in states.indices { fetch(JobFileID(index + 1)) }
    }

    // MARK: Fetching

    private mutating func fetch(_ id: JobFileID) {
        self[id].step = .fetching
        let file = self[id].file
        actions.append(self[id].fetchesWhole ? .fetchWhole(id, file) : .fetch(id, file))
    }

    private mutating func membersNotAvailable(_ id: JobFileID, _ failure: JobFailure) {
        guard steps(id, [.fetching]) else { return }
        let spec = self[id].file.spec
        // A name that was given was meant for the member.
        guard spec.unpacking != nil, spec.fileName == nil, !self[id].fetchesWhole else { return fail(id, .fetch, failure) }
        self[id].fetchesWhole = true
        self[id].isHalting = false
        actions.append(.publish(.fetchesWhole(id)))
        guard self[id].intent == .run, phase == .working else { return stopped(id, at: .fetch) }
        fetch(id)
    }

    private mutating func fetched(_ id: JobFileID, _ file: FetchedFile) {
        guard steps(id, [.fetching]) else { return }
        (self[id].waitsForSpace, self[id].surrender) = (nil, nil)
        if let clash = targets.end(file.target, of: id, existed: file.existed) { return fail(id, .fetch, .clash(clash)) }
        self[id].fetched = file
        self[id].isHalting = false
        guard self[id].mustUnpack else {
            // Members that were fetched alone.
            if self[id].file.spec.unpacking != nil, !file.existed { targets.addDirectory(file.target) }
            return conclude(id)
        }
        guard file.isComplete || file.existed else { return fail(id, .unpack, .mayBeCutOff) }
        self[id].step = .waitingToUnpack
        guard self[id].intent == .run, phase == .working else { return stopped(id, at: .unpack) }
        unpackQueue.append(id)
    }

    private mutating func waits(_ id: JobFileID, _ error: DownloadError?) {
        guard steps(id, [.fetching]) else { return }
        self[id].waitsForSpace = error
    }

    /// A run whose every file waits for space ends: whoever could make space waits for it to end.
    private mutating func endIfAllWaitForSpace() {
        guard phase == .working else { return }
        let open = states.indices.filter { states[$0].isOpen }
        guard open.allSatisfy({ states[$0].waitsForSpace != nil }) else { return }
        for index in open where states[index].surrender == nil {
            states[index].surrender = states[index].waitsForSpace
            halt(JobFileID(index + 1))
        }
    }

    // MARK: Unpacking

    private mutating func unpackNext() {
        guard phase == .working, unpacking == nil, let id = unpackQueue.first, let fetched = self[id].fetched else { return }
        unpackQueue.removeFirst()
        unpacking = id
        self[id].step = .inspecting
        let file = self[id].file
        // What was fetched now was compared as it came.
        let mustCompare = fetched.existed && !fetched.isVerified
        actions.append(.inspect(id, archive(file, fetched), digest: mustCompare ? file.spec.options.digest : nil))
    }

    private mutating func inspected(_ id: JobFileID, _ inspection: Inspection) {
        guard steps(id, [.inspecting]), let fetched = self[id].fetched else { return }
        self[id].isHalting = false
        guard inspection.isUnchanged else { return fail(id, .verify, .changedSinceFetched) }
        guard inspection.matchesDigest != false else { return fail(id, .verify, .existingFileDiffers) }
        guard self[id].intent == .run, phase == .working else { return stopped(id, at: .unpack) }
        let policy = policy(id, inspection)
        if policy == .replace, targets.hasMade(inspection.directory) { return fail(id, .unpack, .directoryMadeInRun) }
        self[id].step = .unpacking
        actions.append(.unpack(id, archive(self[id].file, fetched), ifExists: policy))
    }

    private func archive(_ file: JobFile, _ fetched: FetchedFile) -> ArchiveToUnpack {
        ArchiveToUnpack(file: file, fetched: fetched, isAlone: states.count == 1)
    }

    /// What this very archive was unpacked to before is left. Else what holds for files holds for directories, too, but for one that is there
    /// and not known to be this archive's: to leave it would look as if the archive were unpacked.
    private func policy(_ id: JobFileID, _ inspection: Inspection) -> ExtractionOptions.IfExists {
        let state = states[id.number - 1]
        if state.fetched?.existed == true, inspection.isUnpacked { return .skip }
        switch state.file.spec.options.ifExists {
        case .replace: return .replace
        case .rename: return .rename
        case .fail, .skip: return .fail
        }
    }

    private mutating func unpacked(_ id: JobFileID, _ isSkipped: Bool, _ directory: JobTarget) {
        guard steps(id, [.unpacking]), let fetched = self[id].fetched else { return }
        self[id].isUnpacked = !isSkipped
        guard !isSkipped else { return conclude(id) }
        targets.addDirectory(directory)
        guard self[id].file.spec.unpacking?.removesArchive == true else { return conclude(id) }
        // A file that was there before, and that no digest shows to be what the URL names, may be somebody else's.
        guard !fetched.existed || self[id].file.spec.options.digest != nil else {
            actions.append(.publish(.archiveKept(id)))
            return conclude(id)
        }
        self[id].step = .removing
        actions.append(.removeArchive(id, fetched))
    }

    // MARK: Ending

    private mutating func conclude(_ id: JobFileID) {
        guard isOpen(id), let file = self[id].fetched else { return }
        end(id, .completed(file, isUnpacked: self[id].isUnpacked))
    }

    private mutating func fail(_ id: JobFileID, _ step: JobStep, _ failure: JobFailure) {
        guard isOpen(id) else { return }
        end(id, .failed(step, failure, fetched: self[id].fetched))
        if rules.failsFast { stop() }
    }

    /// Either it was told to, and can be resumed or not, or everything was.
    private mutating func stopped(_ id: JobFileID, at step: JobStep) {
        guard isOpen(id) else { return }
        if unpacking == id { unpacking = nil }
        let wasAsked = self[id].isHalting
        self[id].isHalting = false
        if let error = self[id].surrender { return fail(id, step, .download(error)) }
        switch self[id].intent {
        case .pause where phase == .working:
            self[id].step = .paused
            actions.append(.publish(.paused(id)))
        // It was resumed before it had stopped.
        case .run where phase == .working && wasAsked: goOn(id)
        case .run, .pause, .cancel: end(id, .stopped(step, fetched: self[id].fetched))
        }
    }

    /// A hook is told of what completed or failed, not of what was stopped.
    private mutating func end(_ id: JobFileID, _ outcome: JobOutcome) {
        if unpacking == id { unpacking = nil }
        self[id].waitsForSpace = nil
        guard !outcome.isStopped, !self[id].file.spec.hook.isEmpty else { return close(id, outcome) }
        self[id].step = .hook(outcome)
        actions.append(.runHook(id, self[id].file, outcome))
    }

    private mutating func hookEnded(_ id: JobFileID) {
        guard case .hook(let outcome) = self[id].step else { return }
        close(id, outcome)
    }

    private mutating func close(_ id: JobFileID, _ outcome: JobOutcome) {
        self[id].step = .ended(outcome)
        actions.append(.publish(.ended(id, outcome)))
    }

    private mutating func finishIfOver() {
        switch phase {
        case .working, .stopping:
            guard states.allSatisfy(\.hasEnded) else { return }
            phase = .finished
            actions.append(.publish(.finished))
        case .idle, .resolving, .finished: break
        }
    }

    // MARK: Interrupting

    private mutating func stop() {
        switch phase {
        case .idle: phase = .stopping
        case .resolving(let found):
            for index in found.indices where found[index] == nil { actions.append(.stopResolving(index: index)) }
            phase = .stopping
        case .working:
            phase = .stopping
            for index in states.indices { halt(JobFileID(index + 1)) }
        case .stopping, .finished: break
        }
    }

    private mutating func interrupt(_ id: JobFileID, _ intent: JobFileState.Intent) {
        // What is cancelled stays so.
        guard phase == .working, isOpen(id), self[id].intent != .cancel else { return }
        self[id].intent = intent
        if self[id].step != .paused || intent == .cancel { halt(id) }
    }

    /// What runs is told to stop and says when it has; what waits has stopped.
    private mutating func halt(_ id: JobFileID) {
        switch self[id].step {
        case .fetching, .inspecting, .unpacking:
            guard !self[id].isHalting else { return }
            self[id].isHalting = true
            actions.append(self[id].step == .fetching ? .stopFetch(id) : .stopUnpacking(id))
        case .waitingToUnpack:
            unpackQueue.removeAll { $0 == id }
            stopped(id, at: .unpack)
        case .paused: end(id, .stopped(self[id].fetched == nil ? .fetch : .unpack, fetched: self[id].fetched))
        // The archive goes, and then it is done. A hook is never interrupted.
        case .removing, .hook, .ended: break
        }
    }

    /// Goes on with the step in which it was paused.
    private mutating func resume(_ id: JobFileID) {
        guard phase == .working, isOpen(id), self[id].intent != .cancel else { return }
        self[id].intent = .run
        if self[id].step == .paused { goOn(id) }
    }

    private mutating func goOn(_ id: JobFileID) {
        guard self[id].fetched != nil else { return fetch(id) }
        self[id].step = .waitingToUnpack
        unpackQueue.append(id)
    }

    // MARK: States

    /// It is in one of these steps. An event of another one came too late.
    private func steps(_ id: JobFileID, _ steps: [JobFileState.Step]) -> Bool { isOpen(id) && steps.contains(self[id].step) }

    private func isOpen(_ id: JobFileID) -> Bool { states.indices.contains(id.number - 1) && states[id.number - 1].isOpen }

    private subscript(_ id: JobFileID) -> JobFileState {
        get { states[id.number - 1] }
        set { states[id.number - 1] = newValue }
    }
}

/// One file in a ``JobMachine``.
struct JobFileState: Hashable {
    enum Step: Hashable {
        case fetching
        case waitingToUnpack
        case inspecting
        case unpacking
        case removing
        case paused
        case hook(JobOutcome)
        case ended(JobOutcome)
    }

    enum Intent: Hashable {
        case run, pause, cancel
    }

    let file: JobFile
    var step = Step.fetching
    var intent = Intent.run
    var fetched: FetchedFile?
    var isUnpacked: Bool?
    /// It was told to stop, and has not said yet that it has.
    var isHalting = false
    /// Its members cannot be had alone.
    var fetchesWhole = false
    var waitsForSpace: DownloadError?
    /// It was told to stop because everything waited for space, and ends with this.
    var surrender: DownloadError?

    init(_ file: JobFile) { self.file = file }

    /// Members that were fetched alone are unpacked already.
    var mustUnpack: Bool { file.spec.unpacking != nil && (file.spec.members.isEmpty || fetchesWhole) }

    /// Its outcome is not known yet.
    var isOpen: Bool {
        switch step {
        case .hook, .ended: false
        case .fetching, .waitingToUnpack, .inspecting, .unpacking, .removing, .paused: true
        }
    }

    var hasEnded: Bool { if case .ended = step { true } else { false } }
}

extension JobFile {
    /// What two of them have in common that are fetched once.
    fileprivate var key: JobFile {
        var plain = JobSpec("")
        plain.options = spec.options.guarantees
        return JobFile(spec: plain, identity: identity, target: target)
    }
}
