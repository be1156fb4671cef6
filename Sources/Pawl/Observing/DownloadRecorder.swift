import Logging
import PawlCore
import PawlEngine
import Synchronization

/// Writes the log lines and metrics of one download.
final class DownloadRecorder: DownloadObserver {
    struct State {
        var exchanges: [ExchangeID: Exchange] = [:]
        var secrets: SentSecrets
    }

    struct Exchange {
        var request: ObservedRequest
        var asked: Instant
        var isAnswered = false
        var verdict: Verdict?
    }

    let log: DownloadLog
    private let metrics: DownloadMetrics?
    private let began: Instant
    private let state: Locked<State>

    init(_ log: DownloadLog, _ metrics: DownloadMetrics?, _ url: ObservedURL, at now: Instant) {
        self.log = log
        self.metrics = metrics
        began = now
        state = Locked(State(secrets: url.secrets))
    }

    /// Records the start of a download. A mere probe of a server does not call it.
    func started(_ url: ObservedURL) {
        metrics?.downloadStarted()
        log.line(.debug, .started, "Download started", ["url": "\(url.redacted)"])
    }

    func observe(_ observation: DownloadObservation, at now: Instant) {
        switch observation {
        case .asked(let id, let request): asked(id, request, at: now)
        case .answered(let id, let answer, let verdict): answered(id, answer, verdict, at: now)
        case .accepted(let id, let start, let end): accepted(id, from: start, end: end)
        case .acceptedParts(let id, let count):
            log.line(.debug, .decision, "Storing several parts", of: id, ["parts": "\(count)"])
        case .shortened(let id, let end):
            log.line(.trace, .segment, "Another connection takes over from here", of: id, ["position": "\(end)"])
        case .dropped(let id): log.line(.trace, .connection, "Reading no further", of: id)
        case .ended(let id, let stored, let received, let end): ended(id, stored: stored, received: received, end)
        case .checkpointed(let bytes, let took):
            log.line(.trace, .checkpoint, "Checkpoint is durable", ["bytes": "\(bytes)", "seconds": took.logged])
        case .verifying(let algorithms): verifying(algorithms)
        case .verified(let verification): verified(verification)
        }
    }

    /// A text that a server had a hand in, without what it was told in confidence.
    func safe(_ text: String) -> String { state.withLock { $0.secrets }.removed(from: text) }

    func noteRetry() { metrics?.retried() }

    // MARK: Exchanges

    private func asked(_ id: ExchangeID, _ request: ObservedRequest, at now: Instant) {
        state.withLock { state in
            state.exchanges[id] = Exchange(request: request, asked: now)
            state.secrets.formUnion(request.secrets)
        }
        metrics?.asked()
        log.line(
            .debug, .request, request.isRepeat ? "Request sent again on a new connection" : "Request sent", of: id,
            facts(of: request))
    }

    private func facts(of request: ObservedRequest) -> Logger.Metadata {
        var facts: Logger.Metadata = ["method": "\(request.method)", "url": "\(safe(request.url.redacted))"]
        facts["range"] = request.range.map { "\($0)" }
        if request.isConditional { facts["condition"] = "if-range" }
        return facts
    }

    private func answered(_ id: ExchangeID, _ answer: ObservedAnswer, _ verdict: Verdict?, at now: Instant) {
        let exchange = state.withLock { state -> Exchange? in
            let known = state.exchanges[id]
            state.exchanges[id]?.isAnswered = true
            state.exchanges[id]?.verdict = verdict
            return known
        }
        let time = exchange.map { now - $0.asked } ?? .zero
        metrics?.answered(status: answer.status, after: time)
        log.line(.debug, .answer, "Answer received", of: id, facts(of: answer, after: time))
        log.line(.trace, .fields, "Other fields of the answer", of: id, otherFields(of: answer))
        if let line = VerdictLine(verdict, status: answer.status) {
            log.line(.debug, .decision, line.message, of: id, line.metadata)
        }
    }

    private func facts(of answer: ObservedAnswer, after time: Duration) -> Logger.Metadata {
        var facts: Logger.Metadata = [
            "status": "\(answer.status)", "version": "\(answer.version)", "seconds": time.logged,
        ]
        for field in answer.fields { facts[field.name] = "\(safe(field.value))" }
        return facts
    }

    private func otherFields(of answer: ObservedAnswer) -> Logger.Metadata {
        ["fields": "\(answer.otherFields.map { "\($0.name): \(safe($0.value))" }.joined(separator: "; "))"]
    }

    private func accepted(_ id: ExchangeID, from start: Int64, end: Int64?) {
        let exchange = state.withLock { $0.exchanges[id] }
        let isConditional = exchange?.request.isConditional ?? false
        let message: Logger.Message =
            switch exchange?.verdict {
            case .whole? where exchange?.request.range != nil && start == 0:
                "The whole file was sent; storing it from the start"
            case .partial? where isConditional: "The server has the same file; storing this part"
            default: "Storing the answer"
            }
        log.line(.debug, .decision, message, of: id, ["range": "\(start)-\(end.map { String($0 - 1) } ?? "")"])
    }

    private func ended(_ id: ExchangeID, stored: Int64, received: Int64, _ end: StreamEnd) {
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: id) }
        metrics?.exchangeEnded(received: received, hadAnswer: exchange?.isAnswered ?? false)
        log.line(.trace, .connection, end.message, of: id, facts(of: end, stored: stored, received: received))
    }

    private func facts(of end: StreamEnd, stored: Int64, received: Int64) -> Logger.Metadata {
        var facts: Logger.Metadata = ["bytes": "\(received)", "position": "\(stored)"]
        if case .failed(let error) = end { facts["cause"] = "\(safe(error.detail))" }
        return facts
    }

    // MARK: Checks and the end

    private func verifying(_ algorithms: [DigestAlgorithm]) {
        log.line(
            .debug, .verification, algorithms.isEmpty ? "Checking the stored bytes" : "Checking the digest",
            ["algorithms": "\(algorithms.map(\.rawValue).joined(separator: " "))"])
    }

    private func verified(_ verification: Verification) {
        switch verification {
        case .passed: log.line(.debug, .verification, "The check passed")
        case .mismatch(let error), .failed(let error):
            log.line(.debug, .verification, "The check failed", facts(of: error))
        case .damaged(let ranges):
            let bytes = ranges.reduce(0) { $0 + $1.count }
            log.line(
                .warning, .verification, "Stored bytes changed on the disk; downloading them again",
                ["bytes": "\(bytes)"])
        }
    }

    func ended(_ ending: DownloadDriver.Ending, at now: Instant) {
        metrics?.downloadEnded(ending.phase, after: now - began)
        let facts: Logger.Metadata = ["bytes": "\(ending.stored)", "seconds": (now - began).logged]
        switch ending.phase {
        case .completed: log.line(.debug, .ended, "Download completed", facts)
        case .failed(let error):
            log.line(.debug, .ended, "Download failed", facts.merging(self.facts(of: error)) { $1 })
        case .paused: log.line(.debug, .ended, "Download paused", facts)
        default: log.line(.debug, .ended, "Download cancelled", facts)
        }
    }

    func facts(of error: DownloadError) -> Logger.Metadata {
        ["error.code": "\(error.code.rawValue)", "error.message": "\(safe(error.message))"]
    }
}

extension StreamEnd {
    fileprivate var message: Logger.Message {
        switch self {
        case .complete: "The message is complete"
        case .boundReached: "The segment is complete"
        case .failed: "The connection failed"
        case .overlapDiffers: "Bytes requested again differ from those stored"
        case .cancelled: "The connection was closed"
        }
    }
}
