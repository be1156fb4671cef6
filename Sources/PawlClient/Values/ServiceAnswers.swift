package import PawlCore
public import PawlJobs

/// The number of downloads in each state.
public struct ServiceCounts: Hashable, Sendable, AnswerObject {
    private var counts: [ServiceDownload.State: Int] = [:]

    public internal(set) subscript(state: ServiceDownload.State) -> Int {
        get { counts[state] ?? 0 }
        set { counts[state] = newValue }
    }

    static let members = ServiceDownload.State.all.map { AnswerMember<Self>($0.rawValue, \.[$0]) }
}

/// A page of a list.
public struct ServicePage: Hashable, Sendable, AnswerObject {
    public var downloads: [ServiceDownload] = []
    /// The number of downloads that match the query.
    public var total = 0
    /// The number of downloads in each state, among all downloads, whatever the query.
    public var counts = ServiceCounts()
    /// The number of the latest change in this page: ``ServiceClient/events(since:)`` continues there.
    public var change: Int64 = 0
    /// The cursor of the following page; nil at the end.
    public var next: String?
    /// The JSON as the service sent it.
    package var json = JSONValue.null

    static let members: [AnswerMember<Self>] = [
        .init("downloads", \.downloads), .init(required: "total", \.total), .init(required: "counts", \.counts),
        .init(required: "change", \.change), .init("next", \.next), .init(whole: \.json),
    ]
}

/// The outcome of adding one job.
public struct AddedDownload: Hashable, Sendable, AnswerObject {
    /// The new download; nil if the job was refused.
    public var download: ServiceDownload?
    /// The reason why the job was refused; nil if it was accepted.
    public var error: ServiceError?
    /// Whether the download is new; false if the service had it already, perhaps from an earlier try of this request.
    public var isNew: Bool { status == 201 }
    var status = 0

    static let members: [AnswerMember<Self>] = [
        .init("status", \.status), .init("download", \.download), .init("problem", \.error),
    ]

    func settle() throws(ServiceError) {
        guard download != nil || error != nil else {
            throw .foreign("a result has neither a download nor a problem")
        }
    }
}

/// The outcome of an action on one download.
public struct ActionResult: Hashable, Sendable, AnswerObject {
    public var id = ""
    /// The reason why the action failed; nil if it was done or needed no change.
    public var error: ServiceError?
    var status = 0

    static let members: [AnswerMember<Self>] = [
        .init(required: "id", \.id), .init(required: "status", \.status), .init("problem", \.error),
    ]

    mutating func settle() {
        if status != 200, error == nil {
            error = ServiceError(.init(rawValue: "status\(status)"), "The service refused (\(status)).", status: status)
        }
    }
}

/// The answer to an action on ids: one result for each, in order.
struct ActionResults: AnswerObject {
    var results: [ActionResult] = []
    var change: Int64 = 0

    static let members: [AnswerMember<Self>] = [.init("results", \.results), .init("change", \.change)]
}

/// The outcome of an action on all downloads that match a filter.
public struct ActionCounts: Hashable, Sendable, AnswerObject {
    public var matched = 0
    /// The number of downloads on which the action was done, including those that needed no change.
    public var done = 0
    /// The number of downloads whose state does not allow the action.
    public var notPossible = 0
    /// The number of the latest change when all was done.
    public var change: Int64 = 0

    static let members: [AnswerMember<Self>] = [
        .init(required: "matched", \.matched), .init(required: "done", \.done),
        .init(required: "notPossible", \.notPossible), .init("change", \.change),
    ]
}

/// The settings that apply to all downloads.
public struct ServiceSettings: Hashable, Sendable, AnswerObject {
    /// The number of the change that set them.
    public var change: Int64 = 0
    public var maximumRunning = 0
    public var maximumConnectionsPerHost = 0
    /// The number of connections of one download, unless its job sets another.
    public var connections = 0
    /// The speed limit of all downloads together, at any time, in bytes per second; nil for none. Not used while there
    /// is a timetable.
    public var speedLimit: Int64?
    /// The limit by time of day (docs/speed-limits.md).
    public var timetable: String?
    /// The limit in force; nil for none, and during a pause.
    public var limitNow: Int64?
    /// The end of the timetable's pause that is in force; nil if there is none.
    public var pausedUntil: String?
    /// The directory for downloads whose job names none.
    public var directory = ""
    /// The directories beneath which downloads are stored.
    public var roots: [String] = []
    /// The policy for an existing file: `fail`, `skip`, `rename` or `replace`.
    public var ifExists = ""
    /// The number of days that ended downloads stay listed; nil until they are removed.
    public var historyDays: Int?
    /// The number of ended downloads that stay listed; nil for all.
    public var historyCount: Int?
    /// The JSON as the service sent it.
    package var json = JSONValue.null

    static let members: [AnswerMember<Self>] = [
        .init("change", \.change), .init("maximumRunning", \.maximumRunning),
        .init("maximumConnectionsPerHost", \.maximumConnectionsPerHost), .init("connections", \.connections),
        .init("speedLimit", \.speedLimit), .init("timetable", \.timetable), .init("limitNow", \.limitNow),
        .init("pausedUntil", \.pausedUntil),
        .init(required: "directory", \.directory), .init("roots", \.roots), .init("ifExists", \.ifExists),
        .init("historyDays", \.historyDays), .init("historyCount", \.historyCount), .init(whole: \.json),
    ]
}

/// Figures of the service.
public struct ServiceStats: Hashable, Sendable, AnswerObject {
    public var counts = ServiceCounts()
    /// The rate of all downloads together, in bytes per second.
    public var rate: Int64 = 0
    public var limitNow: Int64?
    public var pausedUntil: String?
    /// The number of connections to servers.
    public var connections = 0
    /// The number of bytes received from the network since the service started.
    public var fetched: Int64 = 0
    /// The free space of the default directory, in bytes.
    public var freeBytes: Int64?
    public var started = ""
    /// The reason why the service's database cannot be written; nil if it can.
    public var problem: ServiceError?

    static let members: [AnswerMember<Self>] = [
        .init(required: "counts", \.counts), .init("rate", \.rate), .init("limitNow", \.limitNow),
        .init("pausedUntil", \.pausedUntil),
        .init("connections", \.connections), .init("fetched", \.fetched), .init("freeBytes", \.freeBytes),
        .init("started", \.started), .init("problem", \.problem),
    ]
}

/// The name and versions of the service that answers.
public struct ServiceVersion: Hashable, Sendable, AnswerObject {
    var name = ""
    public var version = ""
    /// The version of the API.
    public var api = 0

    static let members: [AnswerMember<Self>] = [
        .init("name", \.name), .init(required: "version", \.version), .init(required: "api", \.api),
    ]

    func settle() throws(ServiceError) {
        guard name.isExactly("pawld") else { throw .foreign("it is not pawld") }
    }
}

/// The jobs in a list or a Metalink.
public struct DocumentJobs: Hashable, Sendable, AnswerObject {
    public var jobs: [JobSpec] = []
    /// The parts that could not be used; ``ServiceError/line`` tells where.
    public var problems: [ServiceError] = []

    static let members: [AnswerMember<Self>] = [.init("jobs", \.jobs), .init("problems", \.problems)]
}

extension ServiceError: AnswerObject {
    /// A problem document (RFC 9457).
    static let members: [AnswerMember<Self>] = [
        .init(unread: "type"), .init(unread: "title"), .init("status", \.status), .init(required: "detail", \.message),
        .init(required: "code", \.code), .init("hint", \.hint), .init("fields", \.fields), .init("id", \.id),
        .init("line", \.line),
    ]

    init() { self.init(.foreignAnswer, "") }
}
