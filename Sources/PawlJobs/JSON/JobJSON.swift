package import Pawl
import PawlArchive
package import PawlCore

/// The events of a run as JSON objects (docs/json-events.md). Keys may be added; existing ones keep their meaning.
package struct JobJSON: Sendable {
    private let words: FailureWords

    package init(_ words: FailureWords) { self.words = words }

    package func started(_ id: JobFileID, _ file: JobFile) -> JSONValue {
        [
            "event": .string("started"), "id": .integer(id.number),
            "url": .string((try? HTTPURL(parsing: file.url))?.redacted ?? ""),
            "directory": .string(file.spec.directory), "file": .optional(file.spec.fileName),
        ]
    }

    /// Warnings about the run, before all other events.
    package static func warning(_ message: String) -> JSONValue {
        ["event": .string("warning"), "message": .string(message)]
    }

    /// The last of a run.
    ///
    /// - Parameter exitCode: what the program ends with.
    package func summary(_ summary: RunSummary, exitCode: Int32) -> JSONValue {
        [
            "event": .string("summary"), "files": .integer(summary.total), "completed": .integer(summary.completed),
            "skipped": .integer(summary.skipped), "incomplete": .integer(summary.incomplete),
            "failed": .integer(summary.failures.count),
            "stopped": .integer(summary.stopped), "fetched": .integer(summary.fetched),
            "milliseconds": .rounded(summary.elapsed / .milliseconds(1)), "exitCode": .integer(Int64(exitCode)),
        ]
    }

    package func notice(_ id: JobFileID, _ notice: DownloadNotice) -> JSONValue {
        let facts = notice.facts
        var members = [JSONValue.Member(key: "event", value: .string(Self.event(notice.code)))]
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(JSONValue.Member(key: key, value: value)) }
        }
        add("piece", facts.piece.map { .integer($0) })
        add("connection", facts.connection.map { .integer($0) })
        add("state", Self.segmentState(notice.code))
        let hasRange = notice.code == .segmentBegan || facts.range != nil
        add("start", hasRange ? .optional(facts.range?.start) : nil)
        add("end", hasRange ? .optional(facts.range?.end) : nil)
        add("storedUpTo", facts.storedUpTo.map { .integer($0) })
        add("offset", facts.offset.map { .integer($0) })
        add("url", notice.code == .pieceWrong ? .optional(facts.url) : facts.url.map { .string($0) })
        add("code", notice.error.map { .string($0.code.rawValue) })
        add("message", notice.error.map { .string(words.message(.download($0))) })
        add("failures", facts.failures.map { .integer($0) })
        add("status", facts.status.map { .integer($0) })
        add("limit", facts.limit.map { .integer($0) })
        add("milliseconds", facts.delay.map { .rounded($0 / .milliseconds(1)) })
        add("reason", facts.skipReason.map { .string($0.rawValue) })
        add(Self.detailKeys[notice.code, default: "detail"], facts.detail.map { .string($0) })
        add("kept", facts.isKept.map { .boolean($0) })
        return JSONValue.object(members).tagged(id.number)
    }

    /// The names of ``DownloadNotice/Facts/detail`` in the JSON, by code.
    private static let detailKeys: [DownloadNotice.Code: String] = [
        .remoteTimeNotKept: "lastModified", .encoded: "coding", .changed: "difference", .mirrorDiffers: "reason",
        .tookOver: "evidence", .pausedByTimetable: "until",
    ]

    /// Returns the name of the event; both ends of a segment are one event with a state.
    private static func event(_ code: DownloadNotice.Code) -> String {
        segmentState(code) == nil ? code.rawValue : "segment"
    }

    private static func segmentState(_ code: DownloadNotice.Code) -> JSONValue? {
        switch code {
        case .segmentBegan: .string("began")
        case .segmentEnded: .string("ended")
        default: nil
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

    /// Its download has ended.
    ///
    /// - Parameter exitCode: of what was stopped.
    package func ended(
        _ id: JobFileID, _ outcome: JobOutcome, after elapsed: Duration, stopped exitCode: Int32
    ) -> JSONValue {
        object(of: outcome, after: elapsed, exitCode).tagged(id.number)
    }

    private func object(of outcome: JobOutcome, after elapsed: Duration, _ exitCode: Int32) -> JSONValue {
        switch outcome {
        case .completed(let file, _): return Self.completed(file.result, after: elapsed)
        case .failed(let step, let failure, _):
            let (message, exitCode) = (words.message(failure), words.exitCode(step, failure))
            if case .archive(let error) = failure { return ArchiveJSON.failed(error, message, exitCode: exitCode) }
            let error: DownloadError? = if case .download(let error) = failure { error } else { nil }
            return Self.failed(
                failure.code, message, exitCode, status: error?.facts.status, mayPass: error?.mayPass ?? false)
        case .stopped:
            return Self.failed("stopped", "Stopped; run the same command to resume.", exitCode, mayPass: true)
        }
    }

    /// The result of unpacking a downloaded archive; nil if it was not to be unpacked.
    package func unpacked(_ id: JobFileID, _ outcome: JobOutcome, after elapsed: Duration) -> JSONValue? {
        switch outcome {
        case .completed(let file, let unpacked):
            return unpacked.map { ArchiveJSON.extracted($0.result, from: file.path, after: elapsed).tagged(id.number) }
        case .failed(let step, let failure, _):
            let member: String? = if case .archive(let error) = failure { error.member } else { nil }
            return notUnpacked(failure.code, words.message(failure), member, words.exitCode(step, failure)).tagged(
                id.number)
        case .stopped:
            let exitCode = words.exitCode(.unpack, .archive(ArchiveError(.changed, "")))
            return notUnpacked("stopped", "Stopped; the archive is kept.", nil, exitCode).tagged(id.number)
        }
    }

    private func notUnpacked(_ code: String, _ message: String, _ member: String?, _ exitCode: Int32) -> JSONValue {
        [
            "event": .string("extractionFailed"), "code": .string(code), "message": .string(message),
            "member": .optional(member),
            "exitCode": .integer(Int64(exitCode)),
        ]
    }

    private static func completed(_ result: DownloadResult, after elapsed: Duration) -> JSONValue {
        [
            "event": .string("completed"), "file": .string(result.path), "bytes": .integer(result.byteCount),
            "complete": .boolean(result.isComplete), "verified": .boolean(result.isVerified),
            "skipped": .boolean(result.wasSkipped), "resumedFrom": .integer(result.resumedFrom),
            "milliseconds": .rounded(elapsed / .milliseconds(1)), "url": .string(result.finalURL),
            "sources": .array(result.sources.map { .string($0) }), "status": .optional(result.status.map(Int64.init)),
            "contentType": .optional(result.contentType), "etag": .optional(result.entityTag),
            "lastModified": .optional(result.lastModified), "digest": .optional(result.digest?.description),
        ]
    }

    /// - Parameters:
    ///   - status: of the response that was the failure.
    ///   - mayPass: the same request may succeed later.
    private static func failed(
        _ code: String, _ message: String, _ exitCode: Int32, status: Int? = nil, mayPass: Bool
    ) -> JSONValue {
        [
            "event": .string("failed"), "code": .string(code), "message": .string(message),
            "exitCode": .integer(Int64(exitCode)), "status": .optional(status.map(Int64.init)),
            "again": .boolean(mayPass),
        ]
    }

    private static func connection(_ connection: DownloadProgress.Connection) -> JSONValue {
        [
            "id": .integer(connection.id), "position": .integer(connection.position), "end": .optional(connection.end),
            "rate": .rounded(connection.bytesPerSecond), "host": .string(connection.host),
        ]
    }

    private static func name(of state: DownloadState) -> String {
        switch state {
        case .queued: "queued"
        case .running(.probing): "probing"
        case .running(.downloading): "downloading"
        case .paused: "paused"
        case .waiting: "waiting"
        case .running(.verifying): "verifying"
        case .running(.finishing): "finishing"
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
