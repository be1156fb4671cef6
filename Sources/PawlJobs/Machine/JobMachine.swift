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
    /// The files in the order given, once everything is resolved.
    package private(set) var files = JobFiles()
    /// The step of each.
    private(set) var steps: [JobFileState.Step] = []
    /// The state of each file whose step does not say it all.
    private var states: [JobFileID: JobFileState] = [:]
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

    package init(_ jobs: some Sequence<JobSpec>, rules: Rules = Rules()) {
        resolving = Resolving(JobRows(jobs))
        self.rules = rules
    }

    /// Resumes a run that an earlier process has planned.
    ///
    /// - Parameter files: Of its ``RunRecord``.
    package init(resuming files: [RunRecord.File], rules: Rules = Rules()) {
        resolving = Resolving([])
        self.rules = rules
        phase = .planned
        self.files = JobFiles(files.map(\.file))
        for (index, file) in files.enumerated() {
            let (id, state) = (JobFileID(index + 1), JobFileState(file))
            steps.append(state.step)
            if !state.isPlain { states[id] = state }
            counts.add(state, 1)
            targets.resume(file, id)
        }
        refusals = PathPlan.refusals(of: self.files)
    }

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

    private mutating func resolved(_ index: Int, _ files: [PreparedFile], _ notices: [String], _ unused: Set<String>) {
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
        files = JobFiles()
        actions.append(.publish(.refused(failure)))
    }

    /// Plans the files once everything is resolved. Equal files are downloaded once; two different files with one
    /// target are refused before anything starts.
    private mutating func planIfResolved() {
        guard phase == .resolving, resolving.isOver else { return }
        if let word = resolving.uselessWord { return refuse(.selectsNothing(word)) }
        let found = resolving.takeFiles()
        files = found.files
        files.settleIfExists(isOneOfSeveral: files.count + found.repeated > 1)
        var planned = PlannedTargets()
        // A file that is renamed clashes with none.
        let keepsName = { [files] (index: Int) in files.template(of: JobFileID(index + 1)).ifExists != .rename }
        for (index, target) in found.targets where keepsName(index) {
            let id = JobFileID(index + 1)
            if let other = planned.reserve(target, for: id) { return refuse(.sameTarget(files[other], files[id])) }
        }
        let refusal = found.reserved.lazy.filter { keepsName($0.index) }.compactMap { planned.refusal(of: $0.target) }
        if let error = refusal.first { return refuse(.download(error)) }
        actions.append(.publish(.planned(files, repeated: found.repeated)))
        phase = .working
        guard !rules.onlyPlans else {
            files = JobFiles()
            return
        }
        steps = Array(repeating: .waitingToFetch, count: files.count)
        counts = Counts(files: files.count)
        refusals = PathPlan.refusals(of: files)
        fetchQueue = FileQueue(waiting: files.count)
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
            guard counts.ended == files.count else { return }
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
            for id in ids where step(id) == .hook && self[id].outcome != nil { self[id].step = .ended }
        case .resolving:
            for index in resolving.open { actions.append(.stopResolving(index: index)) }
            phase = .stopping
        case .working:
            phase = .stopping
            (fetchQueue, unpackQueue) = (FileQueue(), FileQueue())
            endWaiting()
            for id in ids where isOpen(id) { halt(id) }
        case .stopping, .finished: break
        }
    }

    /// Ends the files that have not begun, in one event: there may be a million.
    private mutating func endWaiting() {
        guard files.count > 1 else { return }
        var count = 0
        for id in ids where step(id) == .waitingToFetch && states[id] == nil {
            steps[id.number - 1] = .ended
            count += 1
        }
        guard count > 0 else { return }
        counts.endWaiting(count)
        actions.append(.publish(.neverBegun(count)))
    }

    mutating func stopIfFailsFast() { if rules.failsFast { stop() } }

    // MARK: States

    var ids: some Sequence<JobFileID> { (1...).lazy.prefix(files.count).map { JobFileID($0) } }

    /// The step of a file; nil for none of this run.
    func step(_ id: JobFileID) -> JobFileState.Step? {
        steps.indices.contains(id.number - 1) ? steps[id.number - 1] : nil
    }

    /// Returns whether the file is in one of these steps; an event for another step came too late.
    func steps(_ id: JobFileID, _ some: [JobFileState.Step]) -> Bool { step(id).map { some.contains($0) } ?? false }

    var openFiles: [JobFileID] { ids.filter { isOpen($0) } }

    func isOpen(_ id: JobFileID) -> Bool { step(id)?.isOpen ?? false }

    /// A file as it is to be fetched and unpacked.
    func file(_ id: JobFileID) -> JobFile {
        var file = files[id]
        // The archive of which only members were wanted was not asked for by its name.
        if states[id]?.fetchesWhole == true, file.spec.ifExists == nil { file.spec.ifExists = .skip }
        return file
    }

    /// Counts are updated with each change: scanning all files at each event would be too slow.
    subscript(_ id: JobFileID) -> JobFileState {
        get { states[id] ?? JobFileState(steps[id.number - 1]) }
        _modify {
            counts.add(self[id], -1)
            yield &states[id, default: JobFileState(steps[id.number - 1])]
            let state = self[id]
            counts.add(state, 1)
            steps[id.number - 1] = state.step
            if state.isPlain { states[id] = nil }
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

    mutating func endWaiting(_ count: Int) {
        open -= count
        waitingToFetch -= count
        ended += count
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

/// The jobs of a run that are being resolved, and the files found for them.
private struct Resolving {
    /// The largest number of jobs being resolved at once.
    private static let maximumOpen = 64

    private var jobs: JobRows
    private var begunCount = 0
    private var isTaken: [Bool]
    private var found = FoundFiles()
    private var openCount: Int
    /// The number of jobs that select files by each word, and of those in which it has chosen nothing.
    private var words: [ExactText: (jobs: Int, unused: Int)] = [:]

    init(_ jobs: JobRows) {
        self.jobs = jobs
        isTaken = Array(repeating: false, count: jobs.count)
        openCount = jobs.count
        for case .metalink(_, let select) in jobs.templates.map(\.source) {
            for word in Set(select.map { ExactText($0) }) { words[word, default: (0, 0)].jobs += 1 }
        }
    }

    var isOver: Bool { openCount == 0 }

    /// The indices of the jobs whose resolution has begun and is not over.
    var open: [Int] { (0..<begunCount).filter { isOpen($0) } }

    func isOpen(_ index: Int) -> Bool { isTaken.indices.contains(index) && !isTaken[index] }

    mutating func beginNext() -> [JobMachineAction] {
        let next = begunCount..<min(isTaken.count, max(begunCount, isTaken.count - openCount + Self.maximumOpen))
        begunCount = next.upperBound
        let actions = next.map { JobMachineAction.resolve(index: $0, jobs[$0]) }
        // There may be a million, and the files have what is left of them to know.
        if begunCount == isTaken.count { jobs = JobRows() }
        return actions
    }

    mutating func take(_ index: Int, _ files: [PreparedFile], _ unused: Set<String>) -> Bool {
        guard isOpen(index) else { return false }
        isTaken[index] = true
        for file in files { found.append(file, ofJob: index) }
        openCount -= 1
        for word in unused { words[ExactText(word)]?.unused += 1 }
        return true
    }

    var uselessWord: String? { words.filter { $0.value.unused == $0.value.jobs }.keys.min()?.text }

    /// Returns the files in the order of their jobs, each once.
    mutating func takeFiles() -> FoundFiles {
        defer { found = FoundFiles() }
        return found.eachOnce
    }
}

/// Files in the order in which they wait.
struct FileQueue: Sendable {
    /// The numbers of those that wait from the start, in front of those that came later.
    private var first = 1..<1
    private var ids: [JobFileID] = []
    private var next = 0

    init() {}

    /// All files of a run, of which there are so many.
    init(waiting count: Int) { first = 1..<count + 1 }

    mutating func append(_ id: JobFileID) { ids.append(id) }

    mutating func remove(_ id: JobFileID) { ids = ids[next...].filter { $0 != id }; next = 0 }

    mutating func popFirst() -> JobFileID? {
        if let number = first.first {
            first.removeFirst()
            return JobFileID(number)
        }
        guard next < ids.count else { return nil }
        defer {
            next += 1
            if next == ids.count { (ids, next) = ([], 0) }
        }
        return ids[next]
    }
}
