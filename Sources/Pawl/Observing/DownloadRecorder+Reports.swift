import Logging
import PawlCore
import PawlEngine

/// The decisions that a download's owner is told of as well.
extension DownloadRecorder {
    func reported(_ report: DownloadReport, at now: Instant) {
        switch report {
        case .retrying(let error, let failures, _, let until): retrying(error, failures: failures, after: until - now)
        case .segment(let id, let report): segment(id, report)
        case .changed, .startedOver, .mirrorDiffers, .startedAlone, .pieceWrong: suspect(report)
        case .resumed(let offset): decided("Resuming an earlier download", ["bytes": "\(offset)"])
        case .tookOver(let url, let evidence):
            decided("Continuing a download from another URL", ["url": shown(url), "evidence": "\(evidence.rawValue)"])
        case .redirected(let url): decided("Following the redirect", ["url": shown(url)])
        case .rangesIgnored: decided("The server ignores ranges; using one connection")
        case .recentlyModified: decided("The file may have just been modified; using one connection")
        case .skipped(.exists): decided("The file exists; nothing is downloaded")
        case .skipped(.notNewer): decided("The file on the server is not newer; nothing is downloaded")
        case .timeNotKept(let value):
            decided("The modification time cannot be kept", ["last-modified": "\(safe(value))"])
        case .attributesNotKept: decided("The file system does not support these extended attributes")
        case .encoded(let coding):
            decided("The file is sent compressed and stored that way", ["content-encoding": "\(safe(coding))"])
        case .refreshing: decided("The link expired; asking for a fresh one")
        case .pausedByTimetable(let pause): decided("The timetable pauses all downloads", ["until": "\(pause)"])
        case .connectionRefused(let status, let limit):
            decided("One more connection was refused; using fewer", ["status": "\(status)", "connections": "\(limit)"])
        case .sourceFailed(let url, let error): decided("This source is no longer used", about(url, error))
        case .sourceRested(let url, let error, let until):
            decided(
                "This source is not used for now",
                about(url, error).merging(["seconds": (until - now).logged]) { $1 })
        }
    }

    /// Logs a report that a user should see even on success, because something is not what it was declared to be.
    private func suspect(_ report: DownloadReport) {
        switch report {
        case .changed(let difference):
            noticed("The file changed on the server; starting over", ["difference": "\(difference.rawValue)"])
        case .startedOver(let keeping):
            noticed(
                "Cannot verify the stored bytes; starting over", ["kept": "\(keeping != nil)"])
        case .mirrorDiffers(let url, let why):
            noticed("This mirror has a different file and is not used", ["url": shown(url), "cause": "\(safe(why))"])
        case .startedAlone(let url):
            noticed("The digest does not match; downloading from one source alone", ["url": shown(url)])
        case .pieceWrong(let piece, let range, let url):
            var facts: Logger.Metadata = ["piece": "\(piece)", "range": "\(range.start)-\(range.end - 1)"]
            facts["url"] = url.map(shown)
            noticed("A piece does not match its hash; downloading it again", facts)
        default: break
        }
    }

    private func retrying(_ error: DownloadError, failures: Int, after delay: Duration) {
        noteRetry()
        log.line(
            .debug, .retry, "Trying again later",
            facts(of: error).merging(["seconds": delay.logged, "failures": "\(failures)"]) { $1 })
    }

    private func segment(_ id: ExchangeID, _ report: SegmentReport) {
        switch report {
        case .began(let range):
            var facts: Logger.Metadata = [:]
            facts["range"] = range.map { "\($0.start)-\($0.end - 1)" }
            log.line(.trace, .segment, "Segment begun", of: id, facts)
        case .ended(let stored): log.line(.trace, .segment, "Segment ended", of: id, ["position": "\(stored)"])
        }
    }

    private func decided(_ message: Logger.Message, _ facts: @autoclosure () -> Logger.Metadata = [:]) {
        log.line(.debug, .decision, message, facts())
    }

    private func noticed(_ message: Logger.Message, _ facts: @autoclosure () -> Logger.Metadata) {
        log.line(.notice, .decision, message, facts())
    }

    private func shown(_ url: HTTPURL) -> Logger.MetadataValue { "\(safe(url.redacted))" }

    private func about(_ url: HTTPURL, _ error: DownloadError) -> Logger.Metadata {
        facts(of: error).merging(["url": shown(url)]) { $1 }
    }
}
