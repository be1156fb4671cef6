package import Pawl
import PawlArchive
import PawlCore

/// The account of a run: a value that receives each event with its time.
package struct RunAccount: Sendable {
    /// The effect of an event, for displays of single files.
    package enum Change: Hashable, Sendable {
        case began(JobFileID)
        case noted(JobFileID, DownloadNotice)
        /// The download of a file has ended. `after`: since it began.
        case ended(JobFileID, JobOutcome, after: Duration)
        /// The file is there, and was unpacked or not. `after`: since its unpacking began.
        case unpacked(JobFileID, JobOutcome, after: Duration)
    }

    package private(set) var progress: RunProgress
    /// The outcomes of files that have ended or are being unpacked. A completed file with nothing left to report has
    /// none: there may be a million.
    package private(set) var outcomes: [JobFileID: JobOutcome] = [:]
    private let files: JobFiles
    /// The files that have ended, by number, including those that are being unpacked.
    private var haveEnded: [Bool]
    private var beginnings: [JobFileID: Duration] = [:]
    private var unpackingBegan = Duration.zero
    private var fullDisks = FullDisks()

    package init(_ files: JobFiles) {
        self.files = files
        haveEnded = Array(repeating: false, count: files.count)
        progress = RunProgress(total: files.count)
    }

    /// - Parameter time: since the run began, here and below.
    package mutating func handle(_ event: JobEvent, at time: Duration) -> [Change] {
        switch event {
        case .began(let id): return began(id, at: time)
        case .progressed(let id, let news): progressed(id, news)
        case .notice(let id, let notice): return noted(id, notice)
        case .fetched(let id, let file): return ended(id, .completed(file, nil), at: time)
        case .unpacking(let id, let archive, let progress): unpacking(id, archive, progress, at: time)
        case .unpacked(let id, let unpacked): return self.unpacked(id, unpacked, at: time)
        case .ended(let id, let outcome): return settled(id, outcome, at: time)
        case .noticed, .planned, .refused, .choseMembers, .fetchesWhole, .archiveKept, .removesArchive, .paused,
            .resumed, .neverBegun, .hookEnded, .finished:
            break
        }
        return []
    }

    /// Measures rates between calls. Call it often.
    ///
    /// - Parameter hosts: that files wait for which have not begun.
    package mutating func tick(at time: Duration, waitingFor hosts: [RunObstacle] = []) {
        progress.name { files[$0 - 1].likelyName }
        progress.obstacle = (fullDisks.all + hosts).greatest
        progress.tick(at: time)
    }

    package func summary(at time: Duration) -> RunSummary { RunSummary(progress, outcomes, elapsed: time) }

    // MARK: Fetching

    private mutating func began(_ id: JobFileID, at time: Duration) -> [Change] {
        guard beginnings[id] == nil, !hasEnded(id) else { return [] }
        beginnings[id] = time
        progress.began(id.number, at: time)
        return [.began(id)]
    }

    private mutating func progressed(_ id: JobFileID, _ news: JobProgress) {
        fullDisks.set(news.progress.state, for: id)
        if beginnings[id] != nil { progress.update(id.number, name: news.fileName, progress: news.progress) }
    }

    private mutating func noted(_ id: JobFileID, _ notice: DownloadNotice) -> [Change] {
        switch notice.code {
        case .resumed: progress.resumed(id.number, from: notice.facts.offset ?? 0)
        case .startedOver, .changed, .startedAlone: progress.resumed(id.number, from: 0)
        default: break
        }
        return [.noted(id, notice)]
    }

    private mutating func ended(_ id: JobFileID, _ outcome: JobOutcome, at time: Duration) -> [Change] {
        fullDisks.set(nil, for: id)
        let changes = began(id, at: time)
        haveEnded[id.number - 1] = true
        outcomes[id] = outcome
        progress.ended(id.number, outcome)
        return changes + [.ended(id, outcome, after: time - (beginnings.removeValue(forKey: id) ?? .zero))]
    }

    private mutating func settled(_ id: JobFileID, _ outcome: JobOutcome, at time: Duration) -> [Change] {
        defer { outcomes[id] = isSettled(outcome, of: id) ? nil : outcome }
        guard hasEnded(id) else {
            // Of many, those that were stopped before they began are only counted.
            if outcome.isStopped, beginnings[id] == nil, files.count > 1 {
                haveEnded[id.number - 1] = true
                return []
            }
            return ended(id, outcome, at: time)
        }
        if progress.unpacking?.id == id.number { progress.unpacking = nil }
        // What was unpacked was told when it was.
        if case .completed = outcome { return [] }
        return [.unpacked(id, outcome, after: time - unpackingBegan)]
    }

    package func hasEnded(_ id: JobFileID) -> Bool { haveEnded[id.number - 1] }

    private func isSettled(_ outcome: JobOutcome, of id: JobFileID) -> Bool {
        guard case .completed(let file, _) = outcome else { return false }
        return (file.result.isComplete || file.existed) && files.template(of: id).hook.isEmpty
    }

    // MARK: Unpacking

    private mutating func unpacking(_ id: JobFileID, _ archive: String, _ news: ArchiveProgress, at time: Duration) {
        if progress.unpacking?.id != id.number {
            unpackingBegan = time
            progress.unpacking = ArchiveActivity(.unpacking, name: archive, id: id.number, at: time)
        }
        progress.unpacking?.update(news, at: time)
    }

    private mutating func unpacked(_ id: JobFileID, _ unpacked: UnpackedFile, at time: Duration) -> [Change] {
        guard case .completed(let file, _)? = outcomes[id] else { return [] }
        progress.unpacking = nil
        return [.unpacked(id, .completed(file, unpacked), after: time - unpackingBegan)]
    }
}
