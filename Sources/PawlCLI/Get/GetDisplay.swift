import Pawl
import PawlCore
import PawlJobs

/// Lets the tasks that watch downloads speak one after the other, and keeps the account of the run.
actor GetDisplay {
    private let get: ResolvedGet
    private var reporter: any GetReporter
    private var run: RunProgress
    private var endings: [Int: GetEnding] = [:]
    /// Where downloads of this run ended, and which of them came first.
    private var places: [JobTarget: (download: Int, wasSkipped: Bool)] = [:]
    private var beginnings: [Int: Duration] = [:]
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var isOver = false
    private var unpackings: [Int: UnpackingEnding] = [:]
    private var unpackingProgress: LatestProgress?
    private var isSuspended = false
    let interval: Duration?

    init(_ get: ResolvedGet, _ reporter: any GetReporter) {
        self.get = get
        self.reporter = reporter
        interval = reporter.interval
        run = RunProgress(total: get.downloads.count)
        start = clock.now
    }

    private var elapsed: Duration { start.duration(to: clock.now) }

    func remark(_ text: String) { reporter.remark(text) }

    func began(_ download: PlannedDownload) {
        beginnings[download.id] = elapsed
        run.began(download.id, name: download.likelyName, at: elapsed)
        reporter.began(download)
    }

    func note(_ notice: DownloadNotice, of download: PlannedDownload) {
        guard !isOver else { return }
        switch notice {
        case .resumed(let offset): run.resumed(download.id, from: offset)
        case .startedOver, .changed, .startedAlone: run.resumed(download.id, from: 0)
        default: break
        }
        reporter.note(notice, of: download)
    }

    func update(_ download: PlannedDownload, _ progress: DownloadProgress, name: String? = nil) {
        run.update(download.id, name: name, progress: progress)
    }

    func tick(waitingFor reason: String? = nil) {
        guard !isOver, !isSuspended else { return }
        run.reason = reason
        if let progress = unpackingProgress?.value { run.unpacking?.update(progress, at: elapsed) }
        run.tick(at: elapsed)
        reporter.tick(run, at: elapsed)
    }

    /// - Returns: how it counts: of two downloads of this run that end at one path only the first is done, for there is only one file.
    @discardableResult
    func ended(_ download: PlannedDownload, _ ending: GetEnding) -> GetEnding {
        let ending = judged(ending, download)
        endings[download.id] = ending
        run.ended(download.id, ending)
        reporter.ended(download, ending, after: elapsed - (beginnings.removeValue(forKey: download.id) ?? .zero))
        return ending
    }

    private func judged(_ ending: GetEnding, _ download: PlannedDownload) -> GetEnding {
        guard case .completed(let result) = ending else { return ending }
        let place = JobTarget(path: result.path)
        // A file from before the run may be replaced by one of its downloads.
        guard let former = places[place], !former.wasSkipped || result.wasSkipped else {
            places[place] = (download.id, result.wasSkipped)
            return ending
        }
        let otherURL = get.downloads[former.download - 1].shownURL
        let clash =
            switch (former.wasSkipped, result.wasSkipped) {
            case (true, _): "existed before this run, and another URL of it has the same name (\(otherURL))"
            case (false, true): "was made from another URL in this run (\(otherURL))"
            case (false, false): "replaced the file that this run downloaded from \(otherURL)"
            }
        return .failed(
            DownloadError(
                .fileExists, "“\(result.path)” \(clash). Name them apart, or use --if-exists rename.", recovery: .giveUp))
    }

    // MARK: Unpacking

    func beganUnpacking(_ download: PlannedDownload, _ planned: PlannedUnpacking, _ progress: LatestProgress) {
        run.unpacking = ArchiveActivity(.unpacking, name: planned.archive, id: download.id, at: elapsed)
        unpackingProgress = progress
    }

    func unpacked(_ download: PlannedDownload, _ planned: PlannedUnpacking, _ ending: UnpackingEnding, after elapsed: Duration) {
        run.unpacking = nil
        unpackingProgress = nil
        unpackings[download.id] = ending
        reporter.unpacked(download, planned, ending, after: elapsed)
    }

    /// While something else has the terminal, nothing is drawn.
    func suspend(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        if isSuspended { reporter.makeRoom() }
    }

    func finish(cause: StopCause?) -> RunSummary {
        isOver = true
        run.tick(at: elapsed)
        let summary = RunSummary(get, run, endings: endings, unpackings: unpackings, elapsed: elapsed, cause: cause)
        reporter.finished(summary)
        return summary
    }
}
