import Pawl
import PawlCore
import PawlJobs

/// The sentences of `pawl get`. All of them are safe to print.
struct GetWords: Sendable {
    let get: ResolvedGet
    let locale: Locale
    /// The words of the command line, the program's name among them.
    let command: [String]

    /// Nil for what a person need not know.
    func line(for notice: DownloadNotice, of download: PlannedDownload) -> String? {
        guard let sentence = sentence(for: notice) else { return nil }
        guard !get.isAlone else { return sentence.shown(in: locale) }
        switch notice {
        // Said of the one file that is waited for; among many it is a matter of course, and the block or the last line tells of it.
        case .resumed, .rangesIgnored, .recentlyModified, .refreshing, .connectionRefused, .retrying, .redirected, .skipped, .segmentBegan, .segmentEnded,
            .sourceRested:
            return nil
        case .encoded, .changed, .startedOver, .sourceFailed, .mirrorDiffers, .startedAlone, .pieceWrong,
            .remoteTimeNotKept, .attributesNotKept: return "\(download.likelyName): \(sentence)".shown(in: locale)
        }
    }

    private func sentence(for notice: DownloadNotice) -> String? {
        switch notice {
        case .resumed(let offset):
            "Going on: \(ByteCount.text(offset)) were stored before."
        // The last line says that it was skipped.
        case .redirected, .skipped, .segmentBegan, .segmentEnded:
            nil
        case .remoteTimeNotKept(let value):
            "The server's time of modification (\(value)) is none that a file can have; the file has the time it was finished."
        case .attributesNotKept:
            "The file system takes no such extended attributes, so the file does not say where it came from."
        case .rangesIgnored:
            "The server sends the whole file whatever is asked: one connection, and an interruption means beginning anew."
        case .recentlyModified:
            "The file was modified within the last seconds, so another change could not be detected: using one connection."
        case .encoded(let coding):
            "The server sends the file compressed (\(coding)) though asked not to; it is stored as it comes."
        case .changed(let difference):
            "The server has another file now (its \(difference) differs). The old bytes are kept aside, and it begins anew."
        case .startedOver(let kept):
            "Nothing proves that the bytes stored before belong to the server's file, so it begins anew."
                + (kept ? " They are kept aside." : "")
        case .refreshing:
            "The link has expired; a fresh one is being fetched."
        case .retrying(let error, _, _):
            // It is tried again by itself, so there is nothing to advise. Not how long: the block counts that down, and with it the line would be a new one each time.
            "\(error.message) Trying again."
        case .sourceFailed(let url, let error):
            "\(url) is not used any more: \(error.words)"
        case .sourceRested(let url, let error, _):
            "\(url) is left alone for a while: \(error.words)"
        case .mirrorDiffers(let url, let why):
            "\(url) is not used beside the others: \(why)."
        case .startedAlone(let url):
            "What several sources gave together has not the digest it should have: fetched anew from \(url) alone."
        case .pieceWrong(let piece, let range, let url):
            "Piece \(piece) (\(ByteCount.text(range.count)))\(url.map { " from \($0)" } ?? "") is not what its hash says; it is fetched again."
        case .connectionRefused(let status, let limit):
            "The server refused one more connection (\(status)); \(limit == 1 ? "one is" : "\(limit) are") used from now on."
        }
    }

    /// One line for a log; nil while there is nothing to say.
    func line(for run: RunProgress) -> String? {
        guard run.isLarge else { return run.running.first.map { line(for: $0.progress) } }
        let failed = run.failed == 0 ? "" : " (\(run.failed) failed)"
        let left = run.secondsLeft.map { ", \(TimeSpan.text($0)) left" } ?? ""
        let reason = run.waiting > 0 ? run.reason.map { ", \($0)" } ?? "" : ""
        return "\(run.ended) of \(run.total) files\(failed), \(ByteCount.text(run.bytesStored)), \(Rate.text(run.rate))\(left)\(reason)"
            .shown(in: locale)
    }

    func line(for progress: DownloadProgress) -> String {
        let rate = Rate.text(progress.bytesPerSecond)
        let sentence =
            switch progress.state {
            case .waiting(let seconds, let reason): "\(amount(progress)), trying again in \(TimeSpan.text(seconds)): \(reason)"
            case .queued, .probing: "waiting for the server"
            case .verifying: "\(amount(progress)), checking the bytes"
            case .downloading, .paused, .finishing, .completed, .failed, .cancelled:
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

    /// What is left on the screen of a file that came, or did not.
    func lines(for outcome: JobOutcome, of download: PlannedDownload, after elapsed: Duration) -> [String] {
        switch outcome {
        case .completed(let file, _): [summary(of: file.result, of: download, after: elapsed).shown(in: locale)]
        case .failed(_, let failure, _): [("pawl: " + told(failure.words, of: download)).shown(in: locale)]
        case .stopped: []
        }
    }

    /// And of what became of an archive.
    func lines(unpacking outcome: JobOutcome, of download: PlannedDownload, after elapsed: Duration) -> [String] {
        switch outcome {
        case .completed(_, let unpacked): return unpacked.map { [ArchiveWords.line($0.result, after: elapsed).shown(in: locale)] } ?? []
        case .failed(_, let failure, let file):
            return [("pawl: " + failure.words).shown(in: locale)] + (file.map { unpackingAgain($0, download, "“\($0.path)” is kept.") } ?? [])
        case .stopped(_, let file):
            return file.map { unpackingAgain($0, download, "Stopped; “\($0.path)” is whole, and nothing of it is unpacked.") } ?? []
        }
    }

    private func unpackingAgain(_ file: FetchedFile, _ download: PlannedDownload, _ sentence: String) -> [String] {
        let lines = unpackCommand(file, download).map { ["pawl: \(sentence) To unpack it:", "  \($0)"] } ?? ["pawl: \(sentence)"]
        return lines.map { $0.shown(in: locale) }
    }

    /// What unpacks it by hand; nil where it cannot be shown and typed.
    func unpackCommand(_ file: FetchedFile, _ download: PlannedDownload) -> String? {
        func shown(_ path: String) -> String { path.begins(with: "-") ? "./" + path : path }
        let directory = download.file.spec.unpacking?.directory.map { Unpacking.target(of: file.path, in: $0, isAlone: get.isAlone) }
        return ShellWords.join(["pawl", "extract", shown(file.path)] + (directory.map { ["-d", shown($0)] } ?? []) + get.unpackingFlags)
    }

    /// Of URLs that were given more than once.
    static func repeated(_ count: Int) -> [String] {
        switch count {
        case 0: []
        case 1: ["One URL is given twice and fetched once."]
        default: ["\(count) URLs are given before and fetched once."]
        }
    }

    func told(_ message: String, of download: PlannedDownload) -> String {
        get.isAlone || message.contains(download.shownURL) ? message : "\(download.shownURL): \(message)"
    }

    private func summary(of result: DownloadResult, of download: PlannedDownload, after elapsed: Duration) -> String {
        switch result.skipReason {
        case .exists: return "\(result.path): exists already and was left as it is"
        case .notNewer: return "\(result.path): the server has nothing newer"
        case nil: break
        }
        let fetched = Double(result.fetchedByteCount)
        let rate = Rate.text(fetched / max(elapsed / .seconds(1), 0.001))
        var parts = ["\(ByteCount.text(result.byteCount)) in \(TimeSpan.elapsedText(elapsed))", rate, trust(in: result, download)]
        if result.resumedFrom > 0 { parts.append("resumed from \(ByteCount.text(result.resumedFrom))") }
        return "\(result.path): " + parts.joined(separator: ", ")
    }

    private func trust(in result: DownloadResult, _ download: PlannedDownload) -> String {
        guard result.isComplete else { return "perhaps cut off: the server gave neither a length nor a clear end" }
        guard result.isVerified else { return "complete" }
        return download.file.spec.options.digest.map { "verified \($0.algorithm.rawValue)" } ?? "verified by the server's digest"
    }
}
