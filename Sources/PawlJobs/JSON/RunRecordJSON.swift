import Pawl
import PawlArchive
import PawlCore

/// The progress of a file, as a store keeps it beside the job. The specification of the job is not repeated.
extension RunRecord.File {
    /// The progress as one line of JSON.
    package var json: String {
        var object = JSONObjectWriter()
        if fetchesWhole { object.add("whole", .boolean(true)) }
        object.add("fetched", (fetched ?? outcome?.file)?.record ?? .null)
        object.add("unpacked", (unpacked ?? outcome?.unpacked)?.record ?? .null)
        object.add("outcome", outcome?.record ?? .null)
        return object.value.encoded
    }

    /// - Parameter json: of an earlier process; nil for a file of which nothing was recorded.
    /// - Throws: for what this version has not written.
    package init(_ file: JobFile, json: String?) throws(JobSpecError) {
        self.init(file)
        guard let json else { return }
        guard let value = try? JSONValue(parsing: Array(json.utf8)) else {
            throw JobSpecError(.malformed, [], "The record of a run is not JSON.")
        }
        var object = try JobObject(value)
        fetchesWhole = try object.flag("whole") ?? false
        fetched = try object.value("fetched").map { (value) throws(JobSpecError) in try FetchedFile(record: value) }
        unpacked = try object.value("unpacked").map { (value) throws(JobSpecError) in try UnpackedFile(record: value) }
        if let value = object.value("outcome") { outcome = try JobOutcome(record: value, fetched, unpacked) }
        try object.finish()
    }
}

extension FetchedFile {
    fileprivate var record: JSONValue {
        var object = JSONObjectWriter()
        object.add("path", .string(path))
        object.add("bytes", .integer(result.byteCount))
        object.add("complete", .boolean(result.isComplete))
        object.add("verified", .boolean(result.isVerified))
        object.add("skipped", .optional(result.skipReason?.rawValue))
        object.add("mark", .optional(mark?.text))
        return object.value
    }

    fileprivate init(record: JSONValue) throws(JobSpecError) {
        var object = try JobObject(record, "fetched")
        let path = try object.required("path")
        let result = DownloadResult.recorded(
            path, byteCount: try object.integer("bytes") ?? 0, isComplete: try object.flag("complete") ?? false,
            isVerified: try object.flag("verified") ?? false,
            skipReason: try object.string("skipped").map { SkipReason(rawValue: $0) ?? .exists })
        let mark = try object.string("mark").map { UnpackedMark(text: $0) }
        try object.finish()
        self.init(target: FileTarget(path: path), result: result, mark: mark)
    }
}

extension UnpackedFile {
    fileprivate var record: JSONValue {
        var object = JSONObjectWriter()
        object.add("directory", .string(result.directory))
        object.add("members", .integer(result.members))
        object.add("bytes", .integer(result.bytes))
        if isSkipped { object.add("skipped", .boolean(true)) }
        return object.value
    }

    fileprivate init(record: JSONValue) throws(JobSpecError) {
        var object = try JobObject(record, "unpacked")
        let directory = try object.required("directory")
        let result = ExtractionResult(
            directory: directory, members: Int(clamping: try object.integer("members") ?? 0),
            bytes: try object.integer("bytes") ?? 0, isSkipped: try object.flag("skipped") ?? false)
        try object.finish()
        self.init(target: FileTarget(path: directory), result: result)
    }
}

extension JobOutcome {
    fileprivate var unpacked: UnpackedFile? { if case .completed(_, let unpacked) = self { unpacked } else { nil } }

    /// A stopped file has none: it is resumed.
    fileprivate var record: JSONValue {
        switch self {
        case .completed: ["step": .null]
        case .failed(let step, let failure, _):
            ["step": .string(step.name), "code": .string(failure.code), "message": .string(failure.message)]
        case .stopped: .null
        }
    }

    fileprivate init(record: JSONValue, _ fetched: FetchedFile?, _ unpacked: UnpackedFile?) throws(JobSpecError) {
        var object = try JobObject(record, "outcome")
        guard let name = try object.string("step") else {
            guard let fetched else {
                throw JobSpecError(.missingField, ["fetched"], "A completed file has no record of its download.")
            }
            self = .completed(fetched, unpacked)
            try object.finish()
            return
        }
        guard let step = JobStep(name: name) else {
            throw JobSpecError(.invalidValue, ["outcome.step"], "“\(name)” is not a step.")
        }
        // What programs are told of a failure: its code and its message.
        let failure = DownloadError(
            DownloadError.Code(rawValue: try object.required("code")), try object.required("message"),
            recovery: .giveUp)
        try object.finish()
        self = .failed(step, .download(failure), fetched: fetched)
    }
}
