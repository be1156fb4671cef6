import Pawl
import PawlCore

/// The sentences of `pawl get`. All of them are safe to print.
struct GetWords: Sendable {
    let get: ResolvedGet
    let locale: Locale
    /// The words of the command line, the program's name among them.
    let command: [String]

    /// Nil for what a person need not know.
    func line(for notice: DownloadNotice) -> String? {
        sentence(for: notice)?.shown(in: locale)
    }

    private func sentence(for notice: DownloadNotice) -> String? {
        switch notice {
        case .resumed(let offset):
            "Going on: \(ByteCount.text(offset)) were stored before."
        case .redirected, .segmentBegan, .segmentEnded:
            nil
        case .rangesIgnored:
            "The server sends the whole file whatever is asked: one connection, and an interruption means beginning anew."
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
            // Not how long: the block counts that down, and with it the line would be a new one each time.
            "\(error.message) Trying again."
        case .connectionRefused(let status, let limit):
            "The server refused one more connection (\(status)); \(limit == 1 ? "one is" : "\(limit) are") used from now on."
        }
    }

    /// One line for a log.
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

    /// What is left on the screen; of a failure nothing, for its error is written by itself.
    func lines(for ending: GetEnding, after elapsed: Duration) -> [String] {
        switch ending {
        case .completed(let result): [summary(of: result, after: elapsed).shown(in: locale)]
        case .failed: []
        case .stopped(_, let bytes, let total): farewell(bytes, total).map { $0.shown(in: locale) }
        }
    }

    private func summary(of result: DownloadResult, after elapsed: Duration) -> String {
        guard !result.wasSkipped else { return "\(result.path): exists already and was left as it is" }
        let fetched = Double(result.byteCount - result.resumedFrom)
        let rate = Rate.text(fetched / max(elapsed / .seconds(1), 0.001))
        var parts = ["\(ByteCount.text(result.byteCount)) in \(TimeSpan.elapsedText(elapsed))", rate, trust(in: result)]
        if result.resumedFrom > 0 { parts.append("resumed from \(ByteCount.text(result.resumedFrom))") }
        return "\(result.path): " + parts.joined(separator: ", ")
    }

    private func trust(in result: DownloadResult) -> String {
        guard result.isComplete else { return "perhaps cut off: the server gave neither a length nor a clear end" }
        guard result.isVerified else { return "complete" }
        return get.request.digest.map { "verified \($0.algorithm.rawValue)" } ?? "verified by the server's digest"
    }

    private func farewell(_ bytes: Int64, _ total: Int64?) -> [String] {
        let amount = total.map { "\(ByteCount.text(bytes)) of \(ByteCount.text($0))" } ?? ByteCount.text(bytes)
        let saved = bytes > 0 ? "Stopped; \(amount) are saved." : "Stopped."
        guard get.isFreeOfSecrets, let command = ShellWords.join(command) else {
            return ["pawl: \(saved) Run the same command to go on."]
        }
        return ["pawl: \(saved) To go on:", "  \(command)"]
    }
}
