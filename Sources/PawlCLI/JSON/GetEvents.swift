import Pawl
import PawlCore

/// The objects of `pawl get --json`, described in `docs/json-events.md`. Keys may be added; what is there keeps its meaning.
enum GetEvents {
    static func started(_ download: PlannedDownload) -> JSONValue {
        [
            "event": .string("started"), "id": .integer(download.id), "url": .string(download.shownURL),
            "directory": .string(download.request.directory), "file": .optional(download.request.fileName),
        ]
    }

    static func warning(_ message: String) -> JSONValue {
        ["event": .string("warning"), "message": .string(message)]
    }

    static func notice(_ notice: DownloadNotice, id: Int) -> JSONValue {
        object(of: notice).tagged(id)
    }

    private static func object(of notice: DownloadNotice) -> JSONValue {
        switch notice {
        case .resumed(let offset):
            ["event": .string("resumed"), "offset": .integer(offset)]
        case .redirected(let url):
            ["event": .string("redirected"), "url": .string(url)]
        case .rangesIgnored:
            ["event": .string("rangesIgnored")]
        case .recentlyModified:
            ["event": .string("recentlyModified")]
        case .skipped(let reason):
            ["event": .string("skipped"), "reason": .string(reason.rawValue)]
        case .remoteTimeNotKept(let value):
            ["event": .string("remoteTimeNotKept"), "lastModified": .string(value)]
        case .attributesNotKept:
            ["event": .string("attributesNotKept")]
        case .encoded(let coding):
            ["event": .string("encoded"), "coding": .string(coding)]
        case .changed(let difference):
            ["event": .string("changed"), "difference": .string(difference)]
        case .startedOver(let kept):
            ["event": .string("startedOver"), "kept": .boolean(kept)]
        case .refreshing:
            ["event": .string("refreshing")]
        case .retrying(let error, let failures, let seconds):
            [
                "event": .string("retrying"), "code": .string(error.code.rawValue), "message": .string(error.words),
                "failures": .integer(failures), "milliseconds": .rounded(seconds * 1000),
            ]
        case .connectionRefused(let status, let limit):
            ["event": .string("connectionRefused"), "status": .integer(status), "limit": .integer(limit)]
        case .sourceFailed(let url, let error):
            [
                "event": .string("sourceFailed"), "url": .string(url), "code": .string(error.code.rawValue),
                "message": .string(error.words),
            ]
        case .sourceRested(let url, let error, let seconds):
            [
                "event": .string("sourceRested"), "url": .string(url), "code": .string(error.code.rawValue),
                "message": .string(error.words), "milliseconds": .rounded(seconds * 1000),
            ]
        case .mirrorDiffers(let url, let why):
            ["event": .string("mirrorDiffers"), "url": .string(url), "reason": .string(why)]
        case .startedAlone(let url):
            ["event": .string("startedAlone"), "url": .string(url)]
        case .pieceWrong(let piece, let range, let url):
            [
                "event": .string("pieceWrong"), "piece": .integer(piece), "start": .integer(range.start),
                "end": .integer(range.end), "url": .optional(url),
            ]
        case .segmentBegan(let connection, let range):
            [
                "event": .string("segment"), "connection": .integer(connection), "state": .string("began"),
                "start": .optional(range?.start), "end": .optional(range?.end),
            ]
        case .segmentEnded(let connection, let position):
            [
                "event": .string("segment"), "connection": .integer(connection), "state": .string("ended"),
                "storedUpTo": .integer(position),
            ]
        }
    }

    static func progress(_ progress: DownloadProgress, id: Int) -> JSONValue {
        [
            "event": .string("progress"), "id": .integer(id), "state": .string(name(of: progress.state)),
            "bytes": .integer(progress.bytesStored), "durable": .integer(progress.bytesDurable),
            "total": .optional(progress.totalBytes), "rate": .rounded(progress.bytesPerSecond),
            "secondsLeft": .rounded(progress.secondsLeft?.rounded(.up)),
            "connections": .array(progress.connections.map(connection)),
        ]
    }

    static func ended(_ ending: GetEnding, id: Int, after elapsed: Duration) -> JSONValue {
        object(of: ending, after: elapsed).tagged(id)
    }

    /// The last line.
    static func summary(_ summary: RunSummary) -> JSONValue {
        [
            "event": .string("summary"), "files": .integer(summary.total), "completed": .integer(summary.completed),
            "skipped": .integer(summary.skipped), "incomplete": .integer(summary.incomplete), "failed": .integer(summary.failures.count),
            "stopped": .integer(summary.stopped), "fetched": .integer(summary.fetched),
            "milliseconds": .rounded(summary.elapsed / .milliseconds(1)),
            "exitCode": .integer(Int64(summary.exitCode.rawValue)),
        ]
    }

    private static func object(of ending: GetEnding, after elapsed: Duration) -> JSONValue {
        switch ending {
        case .completed(let result): completed(result, after: elapsed)
        case .failed(let error): failed(error.code.rawValue, error.words, ending.exitCode)
        case .archiveFailed(let error): ArchiveEvents.failed(error, exitCode: ending.exitCode)
        case .stopped: failed("stopped", "Stopped; run the same command to go on.", ending.exitCode)
        }
    }

    private static func completed(_ result: DownloadResult, after elapsed: Duration) -> JSONValue {
        [
            "event": .string("completed"), "file": .string(result.path), "bytes": .integer(result.byteCount),
            "complete": .boolean(result.isComplete), "verified": .boolean(result.isVerified),
            "skipped": .boolean(result.wasSkipped), "resumedFrom": .integer(result.resumedFrom),
            "milliseconds": .rounded(elapsed / .milliseconds(1)), "url": .string(result.finalURL),
            "sources": .array(result.sources.map { .string($0) }),
        ]
    }

    private static func failed(_ code: String, _ message: String, _ exitCode: ExitCode) -> JSONValue {
        [
            "event": .string("failed"), "code": .string(code), "message": .string(message),
            "exitCode": .integer(Int64(exitCode.rawValue)),
        ]
    }

    private static func connection(_ connection: DownloadProgress.Connection) -> JSONValue {
        [
            "id": .integer(connection.id), "position": .integer(connection.position), "end": .optional(connection.end),
            "rate": .rounded(connection.bytesPerSecond), "host": .string(connection.host),
        ]
    }

    private static func name(of state: DownloadProgress.State) -> String {
        switch state {
        case .queued: "queued"
        case .probing: "probing"
        case .downloading: "downloading"
        case .paused: "paused"
        case .waiting: "waiting"
        case .verifying: "verifying"
        case .finishing: "finishing"
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

extension JSONValue {
    /// The event with the number of the download it is about, behind its name.
    func tagged(_ id: Int) -> JSONValue {
        guard case .object(var members) = self, !members.isEmpty else { return self }
        members.insert(Member(key: "id", value: .integer(id)), at: 1)
        return .object(members)
    }
}
