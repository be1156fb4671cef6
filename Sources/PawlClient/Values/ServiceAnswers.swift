package import PawlCore
public import PawlJobs

/// How many downloads are in each state.
public struct ServiceCounts: Hashable, Sendable {
    private var counts: [ServiceDownload.State: Int] = [:]

    public subscript(state: ServiceDownload.State) -> Int { counts[state] ?? 0 }

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        for state in ServiceDownload.State.all { counts[state] = fields.int(state.rawValue) ?? 0 }
    }
}

/// One page of a list.
public struct ServicePage: Hashable, Sendable {
    public var downloads: [ServiceDownload]
    /// How many match the query.
    public var total: Int
    /// Of all downloads, whatever the query.
    public var counts: ServiceCounts
    /// The number of the latest change in this page: ``ServiceClient/events(since:)`` continues there.
    public var change: Int64
    /// The cursor of the following page; nil at the end.
    public var next: String?
    /// As the service sent it.
    package var json: JSONValue

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.json = json
        downloads = try fields.list("downloads") { (json) throws(ServiceError) in try ServiceDownload(json) }
        total = try fields.required("total", fields.int)
        counts = try ServiceCounts(try fields.required("counts", fields.value))
        change = try fields.required("change", fields.number)
        next = fields.text("next")
    }
}

/// What became of one job that was added.
public struct AddedDownload: Hashable, Sendable {
    /// Nil if the job was refused.
    public var download: ServiceDownload?
    /// Why it was refused.
    public var error: ServiceError?
    /// False: the service had the download already, perhaps from an earlier try of this request.
    public var isNew: Bool

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        download = try fields.optional("download") { (json) throws(ServiceError) in try ServiceDownload(json) }
        error = try fields.optional("problem", ServiceError.init)
        isNew = fields.int("status") == 201
        guard download != nil || error != nil else {
            throw JSONFields.foreign("a result has neither a download nor a problem")
        }
    }

    init(_ download: ServiceDownload, isNew: Bool) {
        self.download = download
        self.isNew = isNew
    }
}

/// What became of an action on one download.
public struct ActionResult: Hashable, Sendable {
    public var id: String
    /// Nil: it was done, or needed no change.
    public var error: ServiceError?

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        id = try fields.required("id", fields.text)
        let status = try fields.required("status", fields.int)
        error = try fields.optional("problem", ServiceError.init)
        if status != 200, error == nil {
            error = ServiceError(.init(rawValue: "status\(status)"), "The service refused (\(status)).", status: status)
        }
    }
}

/// What became of an action on all downloads that match a filter.
public struct ActionCounts: Hashable, Sendable {
    public var matched: Int
    /// Including those that needed no change.
    public var done: Int
    /// In a state that does not allow it.
    public var notPossible: Int

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        matched = try fields.required("matched", fields.int)
        done = try fields.required("done", fields.int)
        notPossible = try fields.required("notPossible", fields.int)
    }
}

/// What holds for all downloads.
public struct ServiceSettings: Hashable, Sendable {
    public var maximumRunning: Int
    public var maximumConnectionsPerHost: Int
    /// Of one download, unless its job says otherwise.
    public var connections: Int
    /// Of all downloads together, at any time; nil for none. Not used while there is a timetable.
    public var speedLimit: Int64?
    /// The limit by time of day (docs/speed-limits.md).
    public var timetable: String?
    /// The limit in force.
    public var limitNow: Int64?
    /// Where downloads go whose job names no directory.
    public var directory: String
    /// Downloads go beneath these.
    public var roots: [String]
    /// What happens to an existing file: `fail`, `skip`, `rename` or `replace`.
    public var ifExists: String
    /// How long ended downloads stay listed; nil: until removed.
    public var historyDays: Int?
    /// How many ended downloads stay listed; nil: all.
    public var historyCount: Int?
    /// As the service sent it.
    package var json: JSONValue

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.json = json
        maximumRunning = fields.int("maximumRunning") ?? 0
        maximumConnectionsPerHost = fields.int("maximumConnectionsPerHost") ?? 0
        connections = fields.int("connections") ?? 0
        speedLimit = fields.number("speedLimit")
        timetable = fields.text("timetable")
        limitNow = fields.number("limitNow")
        directory = try fields.required("directory", fields.text)
        roots = fields.texts("roots")
        ifExists = fields.text("ifExists") ?? ""
        historyDays = fields.int("historyDays")
        historyCount = fields.int("historyCount")
    }
}

/// Figures of the service.
public struct ServiceStats: Hashable, Sendable {
    public var counts: ServiceCounts
    /// Of all downloads together.
    public var rate: Int64
    public var limitNow: Int64?
    /// To servers.
    public var connections: Int
    /// From the network, since the service started.
    public var fetched: Int64
    /// In the default directory.
    public var freeBytes: Int64?
    public var started: String
    /// Why the service's database cannot be written; nil if it can.
    public var problem: ServiceError?

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        counts = try ServiceCounts(try fields.required("counts", fields.value))
        rate = fields.number("rate") ?? 0
        limitNow = fields.number("limitNow")
        connections = fields.int("connections") ?? 0
        fetched = fields.number("fetched") ?? 0
        freeBytes = fields.number("freeBytes")
        started = fields.text("started") ?? ""
        problem = try fields.value("problem").flatMap { (value) throws(ServiceError) in
            value == .null ? nil : try ServiceError(value)
        }
    }
}

/// Which service answers.
public struct ServiceVersion: Hashable, Sendable {
    public var version: String
    /// Of the API.
    public var api: Int

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        guard fields.text("name") == "pawld" else { throw JSONFields.foreign("it is not pawld") }
        version = try fields.required("version", fields.text)
        api = try fields.required("api", fields.int)
    }
}

/// The jobs in a list or a Metalink.
public struct DocumentJobs: Hashable, Sendable {
    public var jobs: [JobSpec]
    /// What could not be used; ``ServiceError/line`` tells where.
    public var problems: [ServiceError]

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        jobs = try fields.list("jobs") { (json) throws(ServiceError) in
            do throws(JobSpecError) {
                return try JobSpec(jsonValue: json)
            } catch {
                throw JSONFields.foreign(error.message)
            }
        }
        problems = try fields.list("problems", ServiceError.init)
    }
}

extension ServiceError {
    /// A problem document (RFC 9457).
    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.init(
            Code(rawValue: try fields.required("code", fields.text)), try fields.required("detail", fields.text),
            hint: fields.text("hint"),
            status: fields.int("status"), fields: fields.texts("fields"), id: fields.text("id"),
            line: fields.int("line"))
    }
}
