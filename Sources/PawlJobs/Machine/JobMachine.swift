import PawlArchive
import PawlCore

/// Decides the steps of the jobs of a run: resolve → fetch → verify → unpack → hook, with pause, cancel and fail-fast
/// at each step.
///
/// Nothing is downloaded before everything is resolved, so that impossible jobs are reported before anything starts.
/// One archive is unpacked at a time, in the order in which they were fetched; fetching continues meanwhile. An event
/// costs the same in a run of a million files.
package struct JobMachine: Sendable {
    package struct Rules: Hashable, Sendable {
        /// The first failure stops everything else.
        package var failsFast = false
        /// The run ends once it is planned.
        package var onlyPlans = false
        /// A run whose every file waits for space ends: whoever could make space waits for it to end.
        package var endsIfAllWaitForSpace = true
        /// The number of files given to the download queue at once, where most of them wait. The rest of a long list
        /// costs less memory here.
        package var maximumFetching = 4096

        package init() {}
    }

    enum Phase: Hashable {
        case idle
        /// An earlier process has planned the run.
        case planned
        case resolving
        case working
        /// The run is stopping and begins nothing more.
        case stopping
        case finished
    }

    let rules: Rules
    var phase = Phase.idle
    private var resolving: Resolving
    var states: [JobFileState] = []
    private var counts = Counts()
    var targets = RunTargets()
    /// The files that are not fetched, because others have their paths.
    var refusals: [JobFileID: DownloadError] = [:]
    /// The files that wait to be fetched, and some that no longer do.
    var fetchQueue = FileQueue()
    /// The fetched files that wait to be unpacked.
    var unpackQueue = FileQueue()
    /// The files that waited for space since such files were last told to end.
    var spaceWaiters: Set<JobFileID> = []
    var unpacking: JobFileID?
    var actions: [JobMachineAction] = []

    package init(_ jobs: [JobSpec], rules: Rules = Rules()) {
        resolving = Resolving(jobs)
        self.rules = rules
    }

    /// Resumes a run that an earlier process has planned.
    ///
    /// - Parameter files: Of its ``RunRecord``.
    package init(resuming files: [RunRecord.File], rules: Rules = Rules()) {
        resolving = Resolving([])
        self.rules = rules
        phase = .planned
        states = files.map { JobFileState($0) }
        counts = Counts(states)
        for (index, file) in files.enumerated() { targets.resume(file, JobFileID(index + 1)) }
        refusals = PathPlan.refusals(of: self.files)
    }

    /// The files in the order given, once everything is resolved.
    package var files: [JobFile] { states.map(\.file) }

    package var isFinished: Bool { phase == .finished }

    package mutating func handle(_ event: JobMachineEvent) -> [JobMachineAction] {
        switch event {
        case .start: start()
        case .resolved(let index, let files, let notices, let unused): resolved(index, files, notices, unused)
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
        case .unpacked(let id, let unpacked): self.unpacked(id, unpacked)
        case .archiveRemoved(let id): if steps(id, [.removing]) { conclude(id) }
        case .unpackingFailed(let id, let failure):
            if steps(id, [.inspecting, .unpacking, .removing]) { fail(id, .unpack, failure) }
        case .unpackingStopped(let id): if steps(id, [.inspecting, .unpacking]) { stopped(id, at: .unpack) }
        case .hookEnded(let id, let ending): hookEnded(id, ending)
        }
        fetchNext()
        endIfAllWaitForSpace()
        unpackNext()
        finishIfOver()
        defer { actions = [] }
        return actions
    }

    // MARK: Resolving

    private mutating func start() {
        guard phase != .planned else { return resumeAll() }
        guard phase == .idle else { return }
        phase = .resolving
        actions += resolving.beginNext()
        planIfResolved()
    }

    private mutating func resolved(_ index: Int, _ files: [JobFile], _ notices: [String], _ unused: Set<String>) {
        guard phase == .resolving, resolving.take(index, files, unused) else { return }
        if !notices.isEmpty { actions.append(.publish(.noticed(index: index, notices))) }
        actions += resolving.beginNext()
        planIfResolved()
    }

    private mutating func notResolved(_ index: Int, _ failure: JobFailure) {
        guard phase == .resolving, resolving.isOpen(index) else { return }
        for other in resolving.open where other != index { actions.append(.stopResolving(index: other)) }
        refuse(failure)
    }

    private mutating func refuse(_ failure: JobFailure) {
        phase = .working
        states = []
        counts = Counts()
        actions.append(.publish(.refused(failure)))
    }

    /// Plans the files once everything is resolved. Equal files are downloaded once; two different files with one
    /// target are refused before anything starts.
    private mutating func planIfResolved() {
        guard phase == .resolving, resolving.isOver else { return }
        if let word = resolving.uselessWord { return refuse(.selectsNothing(word)) }
        let all = resolving.takeFiles()
        var known: Set<FileKey> = []
        for var file in all where known.insert(FileKey(file)).inserted {
            let id = JobFileID(states.count + 1)
            file.settleIfExists(isOneOfSeveral: all.count > 1)
            if file.spec.options.ifExists != .rename, let other = targets.plan(file.target, for: id) {
                return refuse(.sameTarget(states[other.number - 1].file, file))
            }
            states.append(JobFileState(file))
        }
        if let error = targets.reservedName() { return refuse(.download(error)) }
        actions.append(.publish(.planned(files, repeated: all.count - states.count)))
        guard !rules.onlyPlans else {
            states = []
            phase = .working
            return
        }
        phase = .working
        counts = Counts(files: states.count)
        refusals = PathPlan.refusals(of: files)
        for index in states.indices { fetch(JobFileID(index + 1)) }
    }

    // MARK: What all files have in common

    var mayFetchMore: Bool { counts.fetching < rules.maximumFetching }

    /// Ends the files given to the download queue if all of them wait for space. The next ones are then handed over:
    /// they may be on another disk, or smaller.
    private mutating func endIfAllWaitForSpace() {
        let begun = counts.open - counts.waitingToFetch
        guard rules.endsIfAllWaitForSpace, phase == .working, counts.waitingForSpace > 0,
            counts.waitingForSpace == begun
        else { return }
        for id in spaceWaiters.sorted() where isOpen(id) && self[id].waitsForSpace != nil && !self[id].surrenders {
            self[id].surrenders = true
            halt(id)
        }
        spaceWaiters = []
    }

    private mutating func finishIfOver() {
        switch phase {
        case .working, .stopping:
            guard counts.ended == states.count else { return }
            phase = .finished
            actions.append(.publish(.finished))
        case .idle, .planned, .resolving, .finished: break
        }
    }

    private mutating func stop() {
        switch phase {
        case .idle: phase = .stopping
        case .planned:
            phase = .stopping
            for id in openFiles {
                end(id, .stopped(self[id].fetched == nil ? .fetch : .unpack, fetched: self[id].fetched))
            }
            // Hooks that have not begun are left to the next process.
            for index in states.indices where states[index].step == .hook && states[index].outcome != nil {
                self[JobFileID(index + 1)].step = .ended
            }
        case .resolving:
            for index in resolving.open { actions.append(.stopResolving(index: index)) }
            phase = .stopping
        case .working:
            phase = .stopping
            (fetchQueue, unpackQueue) = (FileQueue(), FileQueue())
            for index in states.indices { halt(JobFileID(index + 1)) }
        case .stopping, .finished: break
        }
    }

    mutating func stopIfFailsFast() { if rules.failsFast { stop() } }

    // MARK: States

    /// Returns whether the file is in one of these steps; an event for another step came too late.
    func steps(_ id: JobFileID, _ steps: [JobFileState.Step]) -> Bool { isOpen(id) && steps.contains(self[id].step) }

    var openFiles: [JobFileID] { states.indices.filter { states[$0].isOpen }.map { JobFileID($0 + 1) } }

    func isOpen(_ id: JobFileID) -> Bool { states.indices.contains(id.number - 1) && states[id.number - 1].isOpen }

    /// Counts are updated with each change: scanning all files at each event would be too slow.
    subscript(_ id: JobFileID) -> JobFileState {
        get { states[id.number - 1] }
        _modify {
            counts.add(states[id.number - 1], -1)
            yield &states[id.number - 1]
            counts.add(states[id.number - 1], 1)
        }
    }
}

/// The number of files of a run in each state.
private struct Counts {
    /// The number of files whose outcome is still open.
    private(set) var open: Int
    private(set) var waitingToFetch: Int
    private(set) var fetching = 0
    private(set) var waitingForSpace = 0
    /// The number of files that are done, hooks included.
    private(set) var ended: Int

    init(files: Int = 0) { (open, waitingToFetch, ended) = (files, files, 0) }

    init(_ states: [JobFileState]) {
        open = states.count(where: \.isOpen)
        waitingToFetch = states.count { $0.step == .waitingToFetch }
        ended = states.count(where: \.hasEnded)
    }

    mutating func add(_ state: JobFileState, _ count: Int) {
        if state.isOpen { open += count }
        if state.isOpen, state.waitsForSpace != nil { waitingForSpace += count }
        switch state.step {
        case .waitingToFetch: waitingToFetch += count
        case .fetching: fetching += count
        case .ended: ended += count
        case .waitingToUnpack, .inspecting, .unpacking, .removing, .paused, .hook: break
        }
    }
}

/// The jobs of a run that have been resolved, and the files found for them.
private struct Resolving {
    /// The largest number of jobs being resolved at once: of a million jobs, only the files are to be in memory.
    private static let maximumOpen = 64

    private var jobs: [JobSpec]
    private var begunCount = 0
    /// The files found for each job; nil until it is resolved.
    private var found: [[JobFile]?]
    private var openCount: Int
    /// The number of jobs that select files by each word, and of those in which it has chosen nothing.
    private var words: [ExactText: (jobs: Int, unused: Int)] = [:]

    init(_ jobs: [JobSpec]) {
        self.jobs = jobs
        found = Array(repeating: nil, count: jobs.count)
        openCount = jobs.count
        for case .metalink(_, let select) in jobs.map(\.source) {
            for word in Set(select.map { ExactText($0) }) { words[word, default: (0, 0)].jobs += 1 }
        }
    }

    var isOver: Bool { openCount == 0 }

    /// The indices of the jobs whose resolution has begun and is not over.
    var open: [Int] { (0..<begunCount).filter { isOpen($0) } }

    func isOpen(_ index: Int) -> Bool { found.indices.contains(index) && found[index] == nil }

    mutating func beginNext() -> [JobMachineAction] {
        let taken = jobs.count - openCount
        let next = begunCount..<min(jobs.count, max(begunCount, taken + Self.maximumOpen))
        begunCount = next.upperBound
        return next.map { .resolve(index: $0, jobs[$0]) }
    }

    mutating func take(_ index: Int, _ files: [JobFile], _ unused: Set<String>) -> Bool {
        guard isOpen(index) else { return false }
        found[index] = files
        openCount -= 1
        for word in unused { words[ExactText(word)]?.unused += 1 }
        return true
    }

    var uselessWord: String? { words.filter { $0.value.unused == $0.value.jobs }.keys.min()?.text }

    mutating func takeFiles() -> [JobFile] {
        defer { (found, jobs) = ([], []) }
        return found.flatMap { $0 ?? [] }
    }
}

/// Files in the order in which they wait.
struct FileQueue: Sendable {
    private var ids: [JobFileID] = []
    private var next = 0

    mutating func append(_ id: JobFileID) { ids.append(id) }

    mutating func remove(_ id: JobFileID) { ids = ids[next...].filter { $0 != id }; next = 0 }

    mutating func popFirst() -> JobFileID? {
        guard next < ids.count else { return nil }
        defer {
            next += 1
            if next == ids.count { (ids, next) = ([], 0) }
        }
        return ids[next]
    }
}

/// The key of a file: files with equal keys are fetched once.
private struct FileKey: Hashable {
    let file: JobFile

    init(_ file: JobFile) { self.file = file }

    static func == (left: Self, right: Self) -> Bool {
        left.file.identity == right.file.identity && left.file.target == right.file.target
            && left.file.spec.options.guarantees == right.file.spec.options.guarantees
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(file.identity)
        hasher.combine(file.target)
    }
}
