package import Pawl
import PawlArchive
package import PawlCore

/// What happens to the files of a run, as objects (docs/json-events.md). Keys may be added; what is there keeps its meaning.
package struct JobJSON: Sendable {
    private let words: FailureWords

    package init(_ words: FailureWords) { self.words = words }

    package func started(_ id: JobFileID, _ file: JobFile) -> JSONValue {
        [
            "event": .string("started"), "id": .integer(id.number), "url": .string((try? HTTPURL(parsing: file.url))?.redacted ?? ""),
            "directory": .string(file.spec.directory), "file": .optional(file.spec.fileName),
        ]
    }

    package func notice(_ id: JobFileID, _ notice: DownloadNotice) -> JSONValue { object(of: notice).tagged(id.number) }

    private func message(_ error: DownloadError) -> JSONValue { .string(words.message(.download(error))) }

    private func object(of notice: DownloadNotice) -> JSONValue {
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
                "event": .string("retrying"), "code": .string(error.code.rawValue), "message": message(error),
                "failures": .integer(failures), "milliseconds": .rounded(seconds * 1000),
            ]
        case .connectionRefused(let status, let limit):
            ["event": .string("connectionRefused"), "status": .integer(status), "limit": .integer(limit)]
        case .sourceFailed(let url, let error):
            [
                "event": .string("sourceFailed"), "url": .string(url), "code": .string(error.code.rawValue),
                "message": message(error),
            ]
        case .sourceRested(let url, let error, let seconds):
            [
                "event": .string("sourceRested"), "url": .string(url), "code": .string(error.code.rawValue),
                "message": message(error), "milliseconds": .rounded(seconds * 1000),
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

    package func progress(_ id: JobFileID, _ progress: DownloadProgress) -> JSONValue {
        [
            "event": .string("progress"), "id": .integer(id.number), "state": .string(Self.name(of: progress.state)),
            "bytes": .integer(progress.bytesStored), "durable": .integer(progress.bytesDurable),
            "total": .optional(progress.totalBytes), "rate": .rounded(progress.bytesPerSecond),
            "secondsLeft": .rounded(progress.secondsLeft?.rounded(.up)),
            "connections": .array(progress.connections.map(Self.connection)),
        ]
    }

    /// Its bytes have come, or will not.
    ///
    /// - Parameter exitCode: of what was stopped.
    package func ended(_ id: JobFileID, _ outcome: JobOutcome, after elapsed: Duration, stopped exitCode: Int32) -> JSONValue {
        object(of: outcome, after: elapsed, exitCode).tagged(id.number)
    }

    private func object(of outcome: JobOutcome, after elapsed: Duration, _ exitCode: Int32) -> JSONValue {
        switch outcome {
        case .completed(let file, _): return Self.completed(file.result, after: elapsed)
        case .failed(let step, let failure, _):
            let (message, exitCode) = (words.message(failure), words.exitCode(step, failure))
            if case .archive(let error) = failure { return ArchiveJSON.failed(error, message, exitCode: exitCode) }
            return Self.failed(failure.code, message, exitCode)
        case .stopped: return Self.failed("stopped", "Stopped; run the same command to go on.", exitCode)
        }
    }

    /// What became of an archive whose bytes have come; nil where it was not to be unpacked.
    package func unpacked(_ id: JobFileID, _ outcome: JobOutcome, after elapsed: Duration) -> JSONValue? {
        switch outcome {
        case .completed(let file, let unpacked):
            return unpacked.map { ArchiveJSON.extracted($0.result, from: file.path, after: elapsed).tagged(id.number) }
        case .failed(let step, let failure, _):
            let member: String? = if case .archive(let error) = failure { error.member } else { nil }
            return notUnpacked(failure.code, words.message(failure), member, words.exitCode(step, failure)).tagged(id.number)
        case .stopped:
            let exitCode = words.exitCode(.unpack, .archive(ArchiveError(.changed, "")))
            return notUnpacked("stopped", "Stopped; the archive is kept.", nil, exitCode).tagged(id.number)
        }
    }

    private func notUnpacked(_ code: String, _ message: String, _ member: String?, _ exitCode: Int32) -> JSONValue {
        [
            "event": .string("extractionFailed"), "code": .string(code), "message": .string(message), "member": .optional(member),
            "exitCode": .integer(Int64(exitCode)),
        ]
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

    private static func failed(_ code: String, _ message: String, _ exitCode: Int32) -> JSONValue {
        ["event": .string("failed"), "code": .string(code), "message": .string(message), "exitCode": .integer(Int64(exitCode))]
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
    package func tagged(_ id: Int) -> JSONValue {
        guard case .object(var members) = self, !members.isEmpty else { return self }
        members.insert(Member(key: "id", value: .integer(id)), at: 1)
        return .object(members)
    }
}
