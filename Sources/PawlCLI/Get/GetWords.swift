import Pawl
import PawlArchive
import PawlCore
import PawlJobs

/// The sentences of `pawl get`. All of them are safe to print.
struct GetWords: Sendable {
    let get: ResolvedGet
    let style: DisplayStyle
    /// The words of the command line, the program's name among them.
    let command: [String]

    var locale: Locale { style.locale }

    /// Returns the line for a notice; nil for notices of no interest to a person.
    func line(for notice: DownloadNotice, of download: PlannedDownload) -> String? {
        guard !Self.silent.contains(notice.code), get.isAlone || !Self.toldOfOne.contains(notice.code) else {
            return nil
        }
        if isTooShortToTell(notice) { return nil }
        let sentence = notice.code == .retrying ? Self.retrying(notice) : notice.message
        // A pause is that of all files, and said once.
        let isOfAll = get.isAlone || notice.code == .pausedByTimetable
        return ((isOfAll ? "" : "\(download.file.likelyName): ") + sentence).shown(in: locale)
    }

    /// Whether a notice is of a host that does not exist or refuses connections, and is asked again at once: the error
    /// that follows says the same.
    private func isTooShortToTell(_ notice: DownloadNotice) -> Bool {
        guard notice.code == .retrying, let error = notice.error, let delay = notice.facts.delay else { return false }
        return delay < .milliseconds(100) && error.remedies.contains { [.checkURL, .checkPort].contains($0) }
    }

    /// Returns the line for an automatic retry, which needs no advice.
    private static func retrying(_ notice: DownloadNotice) -> String {
        guard let error = notice.error, let delay = notice.facts.delay else { return notice.message }
        guard let limit = notice.facts.limit else { return notice.message }
        let failures = notice.facts.failures ?? 0
        let count =
            failures == 0 ? "" : limit < OptionText.maximumRetries ? " (\(failures) of \(limit))" : " (\(failures))"
        let wait = delay < .seconds(1) ? TimeSpan.elapsedText(delay) : TimeSpan.text(delay / .seconds(1))
        return "\(error.clause); retrying in \(wait)\(count)"
    }

    /// The last line says that it was skipped.
    private static let silent: Set<DownloadNotice.Code> = [.redirected, .skipped, .segmentBegan, .segmentEnded]
    /// The notices reported of a single file only; among many they are normal, and shown in the block or the last line.
    private static let toldOfOne: Set<DownloadNotice.Code> = [
        .resumed, .rangesIgnored, .recentlyModified, .refreshing, .connectionRefused, .retrying, .sourceRested,
    ]

    /// Returns one line for a log; nil while there is nothing to report.
    func line(for run: RunProgress) -> String? {
        guard run.isLarge else {
            // A retry was said when it was decided.
            return run.running.first.flatMap { running in
                if case .waiting(.backOff) = running.progress.state { nil } else { line(for: running.progress) }
            }
        }
        let failed = run.failed == 0 ? "" : ", \(run.failed) failed"
        let left = run.secondsLeft.map { ", \(TimeSpan.text($0)) left" } ?? ""
        let retrying = run.running.count(where: \.progress.state.isWaiting)
        let reason =
            (retrying > 0 ? ", \(retrying) retrying" : "")
            + (run.waiting > 0
                ? run.obstacle.map { ", \($0.text(in: run, perHost: get.maximumConnectionsPerHost))" } ?? "" : "")
        return
            "\(run.completed) of \(run.total) files\(failed), \(ByteCount.text(run.bytesStored)), \(Rate.text(run.rate))\(left)\(reason)"
            .shown(in: locale)
    }

    func line(for progress: DownloadProgress) -> String {
        let rate = Rate.text(progress.bytesPerSecond)
        let sentence =
            switch progress.state {
            case .waiting(.network(_, let reason)): "\(amount(progress)), waiting for the network: \(reason)"
            case .waiting(let wait): "\(amount(progress)), waiting: \(wait.reason)"
            case .queued, .running(.probing): "waiting for the server"
            case .running(.verifying): "\(amount(progress)), checking the bytes"
            case .running, .paused, .completed, .failed, .cancelled:
                "\(amount(progress)), \(rate)" + (progress.secondsLeft.map { ", \(TimeSpan.text($0)) left" } ?? "")
            }
        return sentence.shown(in: locale)
    }

    private func amount(_ progress: DownloadProgress) -> String {
        let stored = ByteCount.text(progress.bytesStored)
        guard let total = progress.totalBytes else { return stored }
        return "\(Percentage.of(progress.bytesStored, total)) %, \(stored) of \(ByteCount.text(total))"
    }

    // MARK: Ending

    /// The permanent line of a file that has ended.
    func lines(for outcome: JobOutcome, of download: PlannedDownload, after elapsed: Duration) -> [String] {
        switch outcome {
        case .completed(let file, _): [summary(of: file.result, of: download, after: elapsed).shown(in: locale)]
        case .failed(_, let failure, _): [failed(withURL(failure.text, of: download) + slip(failure, download))]
        case .stopped: []
        }
    }

    /// A mistake in the URL that explains why there is no such file.
    private func slip(_ failure: JobFailure, _ download: PlannedDownload) -> String {
        guard case .download(let error) = failure, error.code == .notFound,
            case .url(let text, _) = download.file.spec.source, let hint = URLSlip.sentence(for: text)
        else { return "" }
        return " " + hint
    }

    /// The permanent line of an archive that has ended.
    func lines(unpacking outcome: JobOutcome, of download: PlannedDownload, after elapsed: Duration) -> [String] {
        switch outcome {
        case .completed(_, let unpacked):
            return unpacked.map { ArchiveWords.lines($0.result, after: elapsed).map { $0.shown(in: locale) } } ?? []
        case .failed(_, let failure, let file):
            return [failed(failure.text)]
                + (file.map { unpackingAgain($0, download, "“\($0.path)” is kept.", after: failure) } ?? [])
        case .stopped(_, let file):
            return file.map { unpackingAgain($0, download, "Stopped; “\($0.path)” is complete but not unpacked.") }
                ?? []
        }
    }

    private func failed(_ message: String) -> String { Severity.error.line(message, style) }

    private func unpackingAgain(
        _ file: FetchedFile, _ download: PlannedDownload, _ sentence: String, after failure: JobFailure? = nil
    ) -> [String] {
        let code = if case .archive(let error)? = failure { Optional(error.code) } else { ArchiveError.Code?.none }
        let command = code == .notAnArchive ? nil : unpackCommand(file, download, renames: code == .targetExists)
        let lines = command.map { ["pawl: \(sentence) To unpack it:", "  \($0)"] } ?? ["pawl: \(sentence)"]
        return lines.map { $0.shown(in: locale) }
    }

    /// Returns the command that unpacks the file by hand; nil if it cannot be shown and typed.
    ///
    /// - Parameter renames: whether the target needs another name because its own is taken.
    func unpackCommand(_ file: FetchedFile, _ download: PlannedDownload, renames: Bool = false) -> String? {
        func shown(_ path: String) -> String { path.begins(with: "-") ? "./" + path : path }
        let directory = download.file.spec.unpacking?.directory.map {
            Unpacking.target(of: file.path, in: $0, isAlone: get.isAlone)
        }
        return ShellWords.join(
            ["pawl", "extract", shown(file.path)] + (directory.map { ["-d", shown($0)] } ?? []) + get.unpackingFlags
                + (renames ? ["--if-exists=rename"] : []))
    }

    /// Returns the remark about URLs that were given more than once.
    static func repeated(_ count: Int) -> [String] {
        switch count {
        case 0: []
        case 1: ["One URL was given twice and is downloaded once."]
        default: ["\(count) URLs were given more than once and are downloaded once."]
        }
    }

    func withURL(_ message: String, of download: PlannedDownload) -> String {
        get.isAlone || message.contains(download.file.shownURL) ? message : "\(download.file.shownURL): \(message)"
    }

    private func summary(of result: DownloadResult, of download: PlannedDownload, after elapsed: Duration) -> String {
        switch result.skipReason {
        case .exists:
            return "\(result.path): already exists; left unchanged"
                + (result.isVerified ? ", \(trust(in: result, download))" : "")
        case .notNewer: return "\(result.path): the server's file is not newer"
        case nil: break
        }
        let size = ByteCount.text(result.byteCount)
        var parts = result.fetchedByteCount > 0 ? [size + Self.speed(result.fetchedByteCount, elapsed)] : [size]
        parts.append(trust(in: result, download))
        if result.resumedFrom > 0 { parts.append("resumed from \(ByteCount.text(result.resumedFrom))") }
        if let digest = result.digest, digest.algorithm == download.file.spec.options.computedDigest {
            parts.append(digest.description)
        }
        return "\(get.streamsToOutput ? download.file.likelyName : result.path): " + parts.joined(separator: ", ")
    }

    /// ` in 8.1 s, 1.23 MiB/s`; without the rate where so short a time gives none.
    static func speed(_ byteCount: Int64, _ elapsed: Duration) -> String {
        let time = " in \(TimeSpan.elapsedText(elapsed))"
        guard elapsed >= .milliseconds(100) else { return time }
        return "\(time), \(Rate.text(Double(byteCount) / (elapsed / .seconds(1))))"
    }

    private func trust(in result: DownloadResult, _ download: PlannedDownload) -> String {
        guard result.isComplete || result.isVerified else {
            return "may be incomplete: the server gave neither a length nor a clear end"
        }
        guard result.isVerified else { return "complete" }
        return download.file.spec.options.digest.map { "verified \($0.algorithm.rawValue)" }
            ?? "verified by the server's digest"
    }
}
