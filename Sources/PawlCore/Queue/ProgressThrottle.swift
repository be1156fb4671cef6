/// Condenses the progress and reports of a running download into news for the queue and its readers.
package struct ProgressThrottle: Sendable {
    /// Readers hear of progress this often at most, and of a new state at once, unless it soon follows by itself: each
    /// reader that is woken costs as much as a small file does.
    package static let interval: Duration = .milliseconds(50)

    /// Failures in a row, and what the last was, for the back-off that follows.
    private struct Retry: Sendable {
        var error: DownloadError
        var failures: Int
        var until: Instant
    }

    private let largestHeldFile: Int64
    package private(set) var progress: DownloadProgress?
    private var latest: QueueNews?
    private var retry: Retry?
    private var lastPublished: (at: Instant, state: DownloadState)?

    /// - Parameter largestHeldFile: files of up to so many bytes are finished within a moment.
    package init(largestHeldFile: Int64 = 0) { self.largestHeldFile = largestHeldFile }

    /// Notes that the download failed and will be retried; its progress will say that it waits.
    package mutating func retries(after error: DownloadError, failures: Int, until: Instant) {
        retry = Retry(error: error, failures: failures, until: until)
    }

    /// - Returns: what the queue is to hear, nil where that has not changed, and whether readers are to hear of it now.
    package mutating func advance(to progress: DownloadProgress, at now: Instant) -> (news: QueueNews?, isDue: Bool) {
        self.progress = progress
        let former = latest
        let news = news(of: progress, at: now)
        latest = news ?? former
        return (news == former ? nil : news, publish(progress.state, at: now))
    }

    private mutating func publish(_ state: DownloadState, at now: Instant) -> Bool {
        if let lastPublished, lastPublished.state == state || isBrief(state), now - lastPublished.at < Self.interval {
            return false
        }
        lastPublished = (now, state)
        return true
    }

    /// Whether more progress, or the end, follows soon in this state.
    private func isBrief(_ state: DownloadState) -> Bool {
        switch state {
        case .running(.downloading), .running(.finishing), .completed: true
        case .running, .queued, .paused, .waiting, .failed, .cancelled: false
        }
    }

    /// Derives the queue's news from a progress; nil if there is nothing to say yet.
    private func news(of progress: DownloadProgress, at now: Instant) -> QueueNews? {
        switch progress.state {
        case .waiting(.hostLimit): .awaitingPermit
        case .waiting(.timetable): .paused
        case .waiting(.backOff(let seconds, let reason)), .waiting(.network(let seconds, let reason)):
            backOff(seconds, reason, at: now)
        case .running(.finishing) where progress.totalBytes.map { $0 <= largestHeldFile } ?? false: .finishes
        case .running(let step):
            if step == .verifying || step == .finishing || progress.bytesPerSecond > 0 {
                .works
            } else {
                latest == .awaitingPermit ? .asks : nil
            }
        // Its end says so itself.
        case .waiting, .queued, .paused, .completed, .failed, .cancelled: nil
        }
    }

    private func backOff(_ seconds: Double, _ reason: String, at now: Instant) -> QueueNews? {
        if let retry {
            return .backsOff(
                until: retry.until, failures: retry.failures, retry.error, isHostDown: retry.error.code == .network)
        }
        let until = now + .milliseconds(Int64(seconds * 1000))
        // Told again only of another wait: the seconds that are left of one are rounded.
        if case .backsOff(let told, _, _, _)? = latest, until < told + .seconds(1) { return latest }
        // The host was known to rest before anything was asked, or something else than a download waits.
        let error = DownloadError(.refused, reason, recovery: .retryAfter(nil))
        return .backsOff(until: until, failures: 0, error, isHostDown: false)
    }
}
