import Pawl
import PawlArchive
import PawlCore
import PawlJobs
import PawlSystem

/// Shows what happens in a run, and keeps the account of it.
actor GetDisplay {
    private var get: ResolvedGet
    private let session: Session
    /// Nil until it is known what will be fetched.
    private var reporter: (any GetReporter)?
    private var run = RunProgress(total: 0)
    private var obstacles = Obstacles()
    private var refusal: JobFailure?
    private var outcomes: [JobFileID: JobOutcome] = [:]
    private var beginnings: [JobFileID: Duration] = [:]
    private var unpackingBegan = Duration.zero
    private var failedHooks = 0
    private var isSuspended = false
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var ticker: Task<Void, Never>?

    init(_ get: ResolvedGet, _ session: Session) {
        self.get = get
        self.session = session
        start = clock.now
    }

    private var elapsed: Duration { start.duration(to: clock.now) }

    private func download(_ id: JobFileID) -> PlannedDownload { get.downloads[id.number - 1] }

    // MARK: What happens

    func take(_ event: JobEvent) {
        switch event {
        case .noticed(_, let notices): get.remarks += notices
        case .planned(let files, let repeated): planned(files, repeated)
        case .refused(let failure): refusal = failure
        case .began(let id): began(id)
        case .choseMembers(_, let members): remark(MemberWords.selection(members))
        case .fetchesWhole(let id): remark("\(download(id).shownURL) can be had only as a whole. It is fetched, and the members are unpacked.")
        case .progressed(let id, let progress): progressed(id, progress)
        case .notice(let id, let notice): note(notice, of: id)
        case .fetched(let id, let file): ended(id, .completed(file, nil))
        case .unpacking(let id, let archive, let progress): unpacking(id, archive, progress)
        case .unpacked(let id, let unpacked): told(id, unpacked)
        case .archiveKept(_, let path): remark("“\(path)” was there before this run and is kept. Remove it by hand.")
        case .ended(let id, let outcome): settled(id, outcome)
        case .hookEnded(let id, let ending): hookEnded(id, ending)
        case .paused, .finished: break
        }
    }

    private func planned(_ files: [JobFile], _ repeated: Int) {
        get.settle(files)
        run = RunProgress(total: files.count)
        let reporter = makeReporter()
        self.reporter = reporter
        for text in get.remarks + GetWords.repeated(repeated) { remark(text) }
        guard let interval = reporter.interval else { return }
        ticker = Task {
            while true {
                do { try await Task.sleep(for: interval) } catch { return }
                tick()
            }
        }
    }

    private func makeReporter() -> any GetReporter {
        let words = GetWords(get: get, locale: Locale.current, command: CommandLine.arguments)
        if get.writesJSON {
            return JSONReporter(words: words, output: session.output, errors: session.errors, interruption: session.interruption)
        }
        if get.isQuiet { return QuietReporter(words: words, errors: session.errors) }
        guard Terminal.canRedraw else { return PlainReporter(words: words, errors: session.errors) }
        return TerminalReporter(words: words, style: DisplayStyle(environment: Environment.value), errors: session.errors)
    }

    private func began(_ id: JobFileID) {
        guard beginnings[id] == nil, outcomes[id] == nil else { return }
        beginnings[id] = elapsed
        run.began(id.number, name: download(id).likelyName, at: elapsed)
        reporter?.began(download(id))
    }

    private func progressed(_ id: JobFileID, _ news: JobProgress) {
        let isBegun = beginnings[id] != nil
        obstacles.set(Obstacle(news.waits, isBegun: isBegun), for: id)
        if isBegun { run.update(id.number, name: news.fileName, progress: news.progress) }
    }

    private func note(_ notice: DownloadNotice, of id: JobFileID) {
        switch notice {
        case .resumed(let offset): run.resumed(id.number, from: offset)
        case .startedOver, .changed, .startedAlone: run.resumed(id.number, from: 0)
        default: break
        }
        reporter?.note(notice, of: download(id))
    }

    /// Its bytes have come, or will not.
    private func ended(_ id: JobFileID, _ outcome: JobOutcome) {
        obstacles.set(nil, for: id)
        began(id)
        outcomes[id] = outcome
        run.ended(id.number, outcome)
        reporter?.ended(download(id), outcome, after: elapsed - (beginnings.removeValue(forKey: id) ?? .zero))
    }

    private func settled(_ id: JobFileID, _ outcome: JobOutcome) {
        defer { outcomes[id] = outcome }
        guard outcomes[id] != nil else {
            // Of many, those that were stopped before they began are only counted.
            if outcome.isStopped, beginnings[id] == nil, !get.isAlone { return }
            return ended(id, outcome)
        }
        if run.unpacking?.id == id.number { run.unpacking = nil }
        // What was unpacked was told when it was.
        if case .completed = outcome { return }
        reporter?.unpacked(download(id), outcome, after: elapsed - unpackingBegan)
    }

    // MARK: Unpacking

    private func unpacking(_ id: JobFileID, _ archive: String, _ progress: ArchiveProgress) {
        if run.unpacking?.id != id.number {
            unpackingBegan = elapsed
            run.unpacking = ArchiveActivity(.unpacking, name: archive, id: id.number, at: elapsed)
        }
        run.unpacking?.update(progress, at: elapsed)
    }

    private func told(_ id: JobFileID, _ unpacked: UnpackedFile) {
        guard case .completed(let file, _)? = outcomes[id] else { return }
        run.unpacking = nil
        reporter?.unpacked(download(id), .completed(file, unpacked), after: elapsed - unpackingBegan)
    }

    // MARK: At the terminal

    private func remark(_ text: String) {
        reporter?.makeRoom()
        reporter?.remark(text)
    }

    private func hookEnded(_ id: JobFileID, _ ending: HookEnding) {
        guard ending != .exited(0) else { return }
        failedHooks += 1
        let path = outcomes[id]?.file?.path ?? download(id).shownURL
        reporter?.makeRoom()
        session.complain("The command of --on-complete \(ending.words), for “\(path)”.")
    }

    private func tick() {
        guard !isSuspended else { return }
        run.reason = obstacles.sentence
        run.tick(at: elapsed)
        reporter?.tick(run, at: elapsed)
    }

    /// While something else has the terminal, nothing is drawn.
    func suspend(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        if isSuspended { reporter?.makeRoom() }
    }

    /// - Throws: why nothing was fetched at all; `CancellationError` when it was stopped before anything could be.
    func finish() async throws -> ExitCode {
        ticker?.cancel()
        // Nothing may be drawn after the last line.
        await ticker?.value
        if let refusal { throw refusal }
        guard reporter != nil else { throw CancellationError() }
        run.tick(at: elapsed)
        reporter?.finished(summary)
        let code = summary.exitCode
        return code == .done && failedHooks > 0 ? .hookFailed : code
    }

    var summary: RunSummary { RunSummary(get, run, outcomes, elapsed: elapsed, cause: session.interruption.cause) }
}
