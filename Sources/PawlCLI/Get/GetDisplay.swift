import Pawl
import PawlArchive
import PawlCore
import PawlJobs
import PawlSystem

/// Displays the events of a run.
actor GetDisplay {
    private var get: ResolvedGet
    private let session: Session
    /// The reporter of the run; nil until its files are known.
    private var reporter: (any GetReporter)?
    private var account = RunAccount([])
    private var refusal: JobFailure?
    private var failedHooks = 0
    /// The hosts that were not found.
    private var named: Set<ExactText> = []
    /// The file that has ended last, and how.
    private var last: GetWords.Ended?
    private var isSuspended = false
    private var run: LiveRun?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var ticker: Task<Void, Never>?

    init(_ get: ResolvedGet, _ session: Session) {
        self.get = get
        self.session = session
        start = clock.now
    }

    private var elapsed: Duration { start.duration(to: clock.now) }

    private func download(_ id: JobFileID) -> PlannedDownload { get.downloads[id] }

    /// Shows also what files of this run wait for.
    func observe(_ run: LiveRun) { self.run = run }

    // MARK: What happens

    func handle(_ events: [JobEvent]) {
        for event in events { handle(event) }
    }

    func handle(_ event: JobEvent) {
        switch event {
        case .noticed(_, let notices):
            // Many files may have one list.
            get.remarks += notices.filter { notice in !get.remarks.contains { $0.isExactly(notice) } }
        case .planned(let files, let repeated): planned(files, repeated)
        case .refused(let failure): refusal = failure
        case .choseMembers(_, let members): remark(MemberWords.selection(members))
        case .fetchesWhole(let id):
            remark(
                "\(download(id).file.shownURL) does not support ranges; downloading the whole archive and unpacking the members."
            )
        case .archiveKept(_, let path): remark("“\(path)” existed before this run and is kept. Remove it by hand.")
        case .hookEnded(let id, let ending): hookEnded(id, ending)
        case .began, .progressed, .notice, .fetched, .unpacking, .unpacked, .ended:
            account.handle(event, at: elapsed).forEach(report)
        case .removesArchive, .paused, .resumed, .neverBegun, .finished: break
        }
    }

    private func report(_ change: RunAccount.Change) {
        switch change {
        case .began(let id): reporter?.began(download(id))
        case .noted(let id, let notice): reporter?.note(notice, of: download(id))
        case .ended(let id, let outcome, let elapsed):
            last = GetWords.Ended(download: download(id), outcome: outcome, elapsed: elapsed)
            reporter?.ended(get.writesJSON ? download(id) : spokesman(outcome, id), outcome, after: elapsed)
        case .unpacked(let id, let outcome, let elapsed): reporter?.unpacked(download(id), outcome, after: elapsed)
        }
    }

    /// Returns the file that is named in the one error for all files of a host: the first one in the list that has not
    /// been completed, whichever failed first.
    private func spokesman(_ outcome: JobOutcome, _ id: JobFileID) -> PlannedDownload {
        guard case .failed(_, let failure, _) = outcome, let host = FailureGroup.host(of: failure),
            named.insert(ExactText(host)).inserted
        else { return download(id) }
        let first = get.downloads.indices.lazy.map { JobFileID($0 + 1) }.first { other in
            !(account.outcomes[other]?.isComplete ?? account.hasEnded(other))
                && (try? HTTPURL(parsing: download(other).file.url))?.host.isExactly(host) ?? false
        }
        return download(first ?? id)
    }

    private func planned(_ files: JobFiles, _ repeated: Int) {
        get.settle(files)
        account = RunAccount(files)
        let reporter = makeReporter()
        self.reporter = reporter
        for text in get.remarks + GetWords.repeated(repeated) { remark(text) }
        guard let interval = reporter.interval else { return }
        ticker = Task {
            while true {
                do { try await Pause.sleep(for: interval) } catch { return }
                tick()
            }
        }
    }

    private var words: GetWords { GetWords(get: get, style: .current, command: Environment.arguments) }

    private func makeReporter() -> any GetReporter {
        if get.writesJSON {
            return JSONReporter(
                words: words, output: session.output, errors: session.errors, interruption: session.interruption)
        }
        if get.isQuiet { return QuietReporter(words: words, errors: session.errors) }
        switch get.progressDisplay {
        case .none: return PlainReporter(words: words, errors: session.errors, showsProgress: false)
        case .plain: return PlainReporter(words: words, errors: session.errors)
        case .auto where !Terminal.canRedraw: return PlainReporter(words: words, errors: session.errors)
        case .auto, .bar: break
        }
        return TerminalReporter(words: words, style: DisplayStyle.current, errors: session.errors)
    }

    // MARK: At the terminal

    private func remark(_ text: String) {
        reporter?.makeRoom()
        reporter?.remark(text)
    }

    private func hookEnded(_ id: JobFileID, _ ending: HookEnding) {
        guard ending != .exited(0) else { return }
        failedHooks += 1
        let path = account.outcomes[id]?.file?.path ?? download(id).file.shownURL
        reporter?.makeRoom()
        session.complain("The command of --on-complete \(ending.text), for “\(path)”.")
    }

    private func tick() {
        guard !isSuspended else { return }
        account.tick(at: elapsed, waitingFor: run?.obstacles ?? [])
        reporter?.tick(account.progress, at: elapsed)
    }

    /// Stops or resumes drawing, for the time that something else has the terminal.
    func suspend(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        if isSuspended { reporter?.makeRoom() }
    }

    /// - Throws: why nothing was fetched at all; `CancellationError` when it was stopped before anything could be.
    func finish() async throws -> ExitCode {
        ticker?.cancel()
        // No drawing may follow the last line.
        await ticker?.value
        if let refusal {
            if get.notifies { await words.notification(of: refusal).send(session.errors) }
            throw refusal
        }
        guard reporter != nil else { throw CancellationError() }
        account.tick(at: elapsed)
        let ending = ending
        reporter?.finished(ending)
        if get.notifies { await words.notification(of: ending, last: last)?.send(session.errors) }
        let code = ending.exitCode
        return code == .done && failedHooks > 0 ? .hookFailed : code
    }

    var ending: RunEnding { RunEnding(summary: account.summary(at: elapsed), cause: session.interruption.cause) }
}
