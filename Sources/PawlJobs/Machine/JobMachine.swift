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

    /// The number of files of one host that are given to the download queue at once, however many hosts there are: as
    /// many as it may have connections, if nobody has said otherwise.
    private static let smallestShare = 8

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
    private var phase = Phase.idle {
        didSet { all.isWorking = phase == .working }
    }
    private var resolving: Resolving
    private var all = JobSurroundings()
    /// The step of each file.
    private var steps: [JobRun.Step] = []
    /// Each file whose step does not say it all.
    private var runs: [JobFileID: JobRun] = [:]
    private var counts = Counts()
    /// The files that wait to be fetched, and some that no longer do.
    private var fetchQueue = FetchQueue()
    /// The fetched files that wait to be unpacked, and some that no longer do.
    private var unpackQueue: ArraySlice<JobFileID> = []
    /// The files that waited for space since such files were last told to end.
    private var spaceWaiters: Set<JobFileID> = []
    private var unpacking: JobFileID?

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
        all.files = JobFiles(files.map(\.file))
        for (index, file) in files.enumerated() {
            let id = JobFileID(index + 1)
            let run = JobRun(id, resuming: file)
            steps.append(run.step)
            if !run.isPlain { runs[id] = run }
            counts.add(run, 1)
            all.targets.resume(file, id)
        }
        all.refusals = PathPlan.refusals(of: all.files)
    }

    /// The files in the order given, once everything is resolved.
    package var files: JobFiles { all.files }

    package var isFinished: Bool { phase == .finished }

    package mutating func handle(_ event: JobMachineEvent) -> [JobMachineAction] {
        switch event {
        case .start: start()
        case .resolved(let index, let files, let notices, let unused): resolved(index, files, notices, unused)
        case .notResolved(let index, let failure): notResolved(index, failure)
        case .stop: stop()
        case .pause(let id): if phase == .working { update(id) { $0.interrupt(.pause, &$1) } }
        case .cancel(let id): if phase == .working { update(id) { $0.interrupt(.cancel, &$1) } }
        case .resume(let id): if phase == .working { update(id) { $0.resume(&$1) } }
        case .waitsForSpace(let id, let error):
            update(id) { $0.handle(event, &$1) }
            if error != nil { spaceWaiters.insert(id) }
        case .began(let id), .choseMembers(let id, _), .progressed(let id, _), .notice(let id, _),
            .unpacking(let id, _, _), .fetched(let id, _), .fetchFailed(let id, _), .membersNotAvailable(let id, _),
            .fetchStopped(let id), .inspected(let id, _), .unpacked(let id, _), .archiveRemoved(let id),
            .unpackingFailed(let id, _), .unpackingStopped(let id), .hookEnded(let id, _):
            update(id) { $0.handle(event, &$1) }
        }
        fetchNext()
        endIfAllWaitForSpace()
        unpackNext()
        finishIfOver()
        defer { all.actions = [] }
        return all.actions
    }

    // MARK: Resolving

    private mutating func start() {
        guard phase != .planned else { return resumeAll() }
        guard phase == .idle else { return }
        phase = .resolving
        all.actions += resolving.beginNext()
        planIfResolved()
    }

    private mutating func resolved(_ index: Int, _ files: [PreparedFile], _ notices: [String], _ unused: Set<String>) {
        guard phase == .resolving, resolving.take(index, files, unused) else { return }
        if !notices.isEmpty { all.publish(.noticed(index: index, notices)) }
        all.actions += resolving.beginNext()
        planIfResolved()
    }

    private mutating func notResolved(_ index: Int, _ failure: JobFailure) {
        guard phase == .resolving, resolving.isOpen(index) else { return }
        for other in resolving.open where other != index { all.actions.append(.stopResolving(index: other)) }
        refuse(failure)
    }

    private mutating func refuse(_ failure: JobFailure) {
        phase = .working
        all.files = JobFiles()
        all.publish(.refused(failure))
    }

    /// Plans the files once everything is resolved. Equal files are downloaded once; two different files with one
    /// target are refused before anything starts.
    private mutating func planIfResolved() {
        guard phase == .resolving, resolving.isOver else { return }
        if let word = resolving.uselessWord { return refuse(.selectsNothing(word)) }
        let found = resolving.takeFiles()
        all.files = found.files
        all.files.settleIfExists(isOneOfSeveral: files.count + found.repeated > 1)
        var planned = PlannedTargets(count: found.targets.count)
        // A file that is renamed clashes with none.
        let keepsName = { [files] (index: Int) in files.template(of: JobFileID(index + 1)).ifExists != .rename }
        for (index, target) in found.targets where keepsName(index) {
            let id = JobFileID(index + 1)
            if let other = planned.reserve(target, for: id) { return refuse(.sameTarget(files[other], files[id])) }
        }
        let refusal = found.reserved.lazy.filter { keepsName($0.index) }.compactMap { planned.refusal(of: $0.target) }
        if let error = refusal.first { return refuse(.download(error)) }
        all.publish(.planned(files, repeated: found.repeated))
        phase = .working
        guard !rules.onlyPlans else {
            all.files = JobFiles()
            return
        }
        steps = Array(repeating: .waitingToFetch, count: files.count)
        counts = Counts(files: files.count)
        all.refusals = PathPlan.refusals(of: files)
        fetchQueue = FetchQueue(found.hosts) { max(Self.smallestShare, rules.maximumFetching / $0) }
    }

    /// Resumes each file in the step that was recorded.
    private mutating func resumeAll() {
        phase = .working
        for id in ids where step(id) == .hook { update(id) { $0.resumeHook(&$1) } }
        for id in ids where isOpen(id) && step(id) != .paused {
            update(id) { run, _ in run.goOn() }
            // A file that waits already has not moved, and the queue does not know it yet.
            if step(id) == .waitingToFetch { fetchQueue.append(id) }
        }
    }

    // MARK: What all files have in common

    private mutating func fetchNext() {
        while phase == .working, counts.fetching < rules.maximumFetching, let id = fetchQueue.popFirst() {
            // The file may have been paused or cancelled since.
            if step(id) == .waitingToFetch { update(id) { $0.beginFetching(&$1) } }
        }
    }

    private mutating func unpackNext() {
        while phase == .working, unpacking == nil, let id = unpackQueue.popFirst() {
            update(id) { $0.beginUnpacking(&$1) }
        }
    }

    /// Ends the files given to the download queue if all of them wait for space. The next ones are then handed over:
    /// they may be on another disk, or smaller.
    private mutating func endIfAllWaitForSpace() {
        let begun = counts.open - counts.waitingToFetch
        guard rules.endsIfAllWaitForSpace, phase == .working, counts.waitingForSpace > 0,
            counts.waitingForSpace == begun
        else { return }
        for id in spaceWaiters.sorted() where runs[id]?.waitsForSpace != nil { update(id) { $0.surrender(&$1) } }
        spaceWaiters = []
    }

    private mutating func finishIfOver() {
        switch phase {
        case .working, .stopping:
            guard counts.ended == files.count else { return }
            phase = .finished
            all.publish(.finished)
        case .idle, .planned, .resolving, .finished: break
        }
    }

    private mutating func stop() {
        switch phase {
        case .idle: phase = .stopping
        case .planned:
            phase = .stopping
            for id in ids where isOpen(id) {
                update(id) { run, all in
                    run.end(.stopped(run.fetched == nil ? .fetch : .unpack, fetched: run.fetched), &all)
                }
            }
            // Hooks that have not begun are left to the next process.
            for id in ids where runs[id]?.outcome != nil { update(id) { run, _ in run.step = .ended } }
        case .resolving:
            for index in resolving.open { all.actions.append(.stopResolving(index: index)) }
            phase = .stopping
        case .working:
            phase = .stopping
            unpackQueue = []
            endWaiting()
            for id in ids where isOpen(id) { update(id) { $0.halt(&$1) } }
        case .stopping, .finished: break
        }
    }

    /// Ends the files that have not begun, in one event: there may be a million.
    private mutating func endWaiting() {
        guard files.count > 1 else { return }
        var count = 0
        for id in ids where step(id) == .waitingToFetch && runs[id] == nil {
            steps[id.number - 1] = .ended
            count += 1
        }
        guard count > 0 else { return }
        counts.endWaiting(count)
        all.publish(.neverBegun(count))
    }

    // MARK: Jobs

    private var ids: some Sequence<JobFileID> { (1...).lazy.prefix(files.count).map { JobFileID($0) } }

    /// The step of a file; nil for none of this run.
    private func step(_ id: JobFileID) -> JobRun.Step? {
        steps.indices.contains(id.number - 1) ? steps[id.number - 1] : nil
    }

    private func isOpen(_ id: JobFileID) -> Bool { step(id)?.isOpen ?? false }

    /// Lets a job take a step, and counts it anew: to look at all of them after each would be too slow.
    private mutating func update(_ id: JobFileID, _ body: (inout JobRun, inout JobSurroundings) -> Void) {
        guard let former = step(id) else { return }
        var run = runs[id] ?? JobRun(id, at: former)
        counts.add(run, -1)
        body(&run, &all)
        counts.add(run, 1)
        runs[id] = run.isPlain ? nil : run
        if run.step != former { moved(run, from: former) }
        guard all.hasFailed else { return }
        all.hasFailed = false
        if rules.failsFast { stop() }
    }

    private mutating func moved(_ run: JobRun, from former: JobRun.Step) {
        steps[run.id.number - 1] = run.step
        if run.step == .fetching { fetchQueue.began(run.id) }
        if former == .fetching { fetchQueue.ended(run.id) }
        if former.hasArchive != run.step.hasArchive { unpacking = run.step.hasArchive ? run.id : nil }
        switch run.step {
        case .waitingToFetch: fetchQueue.append(run.id)
        case .waitingToUnpack: unpackQueue.append(run.id)
        case .fetching, .inspecting, .unpacking, .removing, .paused, .hook, .ended: break
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

    mutating func add(_ run: JobRun, _ count: Int) {
        if run.isOpen { open += count }
        if run.isOpen, run.waitsForSpace != nil { waitingForSpace += count }
        switch run.step {
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
        jobs.forget(before: begunCount)
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
