package import PawlCore

/// A download of the service, as it stood at one moment.
///
/// The members have the names of the API (docs/api.md). Times are RFC 3339 in UTC, sizes are bytes, rates are bytes per
/// second.
public struct ServiceDownload: Hashable, Sendable, Identifiable {
    public struct State: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// Its turn has not come.
        public static let queued = State(rawValue: "queued")
        public static let running = State(rawValue: "running")
        /// It resumes by itself; ``ServiceDownload/whyWaiting`` tells when.
        public static let waiting = State(rawValue: "waiting")
        /// By the user, until resumed.
        public static let paused = State(rawValue: "paused")
        public static let completed = State(rawValue: "completed")
        /// For good, unless retried.
        public static let failed = State(rawValue: "failed")

        /// In the order in which the service sorts them.
        public static let all = [running, waiting, queued, paused, failed, completed]

        /// Nothing more happens to it by itself.
        public var hasEnded: Bool { self == .completed || self == .failed }
    }

    /// Why it failed; of a completed download, why it could not be unpacked or its hook failed.
    public struct Failure: Hashable, Sendable {
        /// A code of docs/json-events.md.
        public var code: String
        public var message: String
        public var hint: String?
        /// What would help, as the names of `DownloadError.Remedy`, most likely first.
        public var remedies: [String]
        /// What was being done: `resolve`, `fetch`, `verify`, `unpack` or `hook`.
        public var step: String
    }

    /// One connection to a server.
    public struct Connection: Hashable, Sendable {
        public var id: Int
        /// The next byte it will store.
        public var position: Int64
        /// Where it will stop (exclusive); nil when unknown.
        public var end: Int64?
        public var rate: Int64
        public var host: String
    }

    /// One file of a download that has several.
    public struct File: Hashable, Sendable {
        public var index: Int
        public var name: String?
        public var directory: String
        public var state: State
        public var bytes: Int64
        public var total: Int64?
        public var rate: Int64
        public var error: Failure?
    }

    public var id: String
    /// The number of its last change. Progress is not a change.
    public var change: Int64
    public var state: State
    /// What it is doing while it runs.
    public var step: String?
    /// What was asked for, without secrets.
    public var url: String
    public var directory: String
    /// Nil while the server is to choose it.
    public var fileName: String?
    public var priority: Int
    /// The index in the queue; nil once it has ended.
    public var position: Int?
    public var tag: String?
    /// Stored in the file.
    public var bytes: Int64
    /// Of those, what would survive a power cut now.
    public var durable: Int64
    /// Nil while unknown.
    public var total: Int64?
    public var rate: Int64
    public var secondsLeft: Int64?
    public var connections: [Connection]
    public var speedLimit: Int64?
    /// Why it is not running, as a sentence.
    public var whyWaiting: String?
    /// Until it resumes; nil if that cannot be told.
    public var waitsSeconds: Int64?
    /// The code of what it waits for.
    package var waitingCode: String?
    /// Members of the job that the service keeps in memory only: after its restart, the download waits for them.
    public var notStored: [String]
    public var error: Failure?
    /// All bytes came, of one version of the file; nil until it is completed.
    public var isComplete: Bool?
    /// A digest matched.
    public var isVerified: Bool
    /// The file existed and was left as it was.
    public var wasSkipped: Bool
    /// The finished file is no longer there.
    public var isMissing: Bool
    /// The directory it was unpacked to.
    public var unpacked: String?
    public var added: String
    public var started: String?
    public var ended: String?
    /// When there are several; otherwise empty.
    public var files: [File]
    /// As the service sent it.
    package var json: JSONValue

    package init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.json = json
        id = try fields.required("id", fields.text)
        state = State(rawValue: try fields.required("state", fields.text))
        url = try fields.required("url", fields.text)
        change = fields.number("change") ?? 0
        step = fields.text("step")
        directory = fields.text("directory") ?? ""
        fileName = fields.text("file")
        priority = fields.int("priority") ?? 0
        position = fields.int("position")
        tag = fields.text("tag")
        bytes = fields.number("bytes") ?? 0
        durable = fields.number("durable") ?? 0
        total = fields.number("total")
        rate = fields.number("rate") ?? 0
        secondsLeft = fields.number("secondsLeft")
        connections = try fields.list("connections", Connection.init)
        speedLimit = fields.number("speedLimit")
        whyWaiting = fields.text("whyWaiting")
        waitingCode =
            try fields.optional("waiting") { (json) throws(ServiceError) in try JSONFields(json).text("code") } ?? nil
        waitsSeconds =
            try fields.optional("waiting") { (json) throws(ServiceError) in try JSONFields(json).number("seconds") }
            ?? nil
        notStored = fields.texts("notStored")
        error = try fields.optional("error", Failure.init)
        isComplete = fields.flag("complete")
        isVerified = fields.flag("verified") ?? false
        wasSkipped = fields.flag("skipped") ?? false
        isMissing = fields.flag("missing") ?? false
        unpacked = fields.text("unpacked")
        added = fields.text("added") ?? ""
        started = fields.text("started")
        ended = fields.text("ended")
        files = try fields.list("files", File.init)
    }

    /// Takes over later figures.
    public mutating func update(_ progress: ServiceProgress) {
        bytes = progress.bytes
        durable = progress.durable
        total = progress.total
        rate = progress.rate
        secondsLeft = progress.secondsLeft
        connections = progress.connections
    }
}

extension ServiceDownload.Failure {
    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.init(
            code: fields.text("code") ?? "", message: fields.text("message") ?? "", hint: fields.text("hint"),
            remedies: fields.texts("remedies"),
            step: fields.text("step") ?? "fetch")
    }
}

extension ServiceDownload.Connection {
    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.init(
            id: fields.int("id") ?? 0, position: fields.number("position") ?? 0, end: fields.number("end"),
            rate: fields.number("rate") ?? 0,
            host: fields.text("host") ?? "")
    }
}

extension ServiceDownload.File {
    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.init(
            index: fields.int("index") ?? 0, name: fields.text("file"), directory: fields.text("directory") ?? "",
            state: ServiceDownload.State(rawValue: try fields.required("state", fields.text)),
            bytes: fields.number("bytes") ?? 0,
            total: fields.number("total"), rate: fields.number("rate") ?? 0,
            error: try fields.optional("error", ServiceDownload.Failure.init))
    }
}

/// How far a running download is: the figures that change many times a second.
public struct ServiceProgress: Hashable, Sendable, Identifiable {
    public var id: String
    public var bytes: Int64
    public var durable: Int64
    public var total: Int64?
    public var rate: Int64
    public var secondsLeft: Int64?
    public var connections: [ServiceDownload.Connection]
    /// As the service sent it.
    package var json: JSONValue

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.json = json
        id = try fields.required("id", fields.text)
        bytes = fields.number("bytes") ?? 0
        durable = fields.number("durable") ?? 0
        total = fields.number("total")
        rate = fields.number("rate") ?? 0
        secondsLeft = fields.number("secondsLeft")
        connections = try fields.list("connections", ServiceDownload.Connection.init)
    }
}

extension ServiceProgress {
    /// As the service sent it, with the name of the event in front.
    package func json(event name: String) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object([JSONValue.Member(key: "event", value: .string(name))] + members)
    }
}

/// A download with its job, its sources and its log.
public struct ServiceDownloadDetail: Hashable, Sendable {
    /// One URL that its bytes come from.
    public struct Source: Hashable, Sendable {
        public var url: String
        /// `unused`, `used`, `resting` or `failed`.
        public var state: String
        /// Why it rests or failed.
        public var message: String?
    }

    public struct LogEntry: Hashable, Sendable {
        public var time: String
        public var code: String
        public var message: String
    }

    /// The digest that the file must have.
    public struct Digest: Hashable, Sendable {
        public var algorithm: String
        public var value: String
        /// Nil: not compared yet.
        public var matches: Bool?
    }

    public var download: ServiceDownload
    public var digest: Digest?
    public var sources: [Source]
    /// Oldest first: the latest 100 entries.
    public var log: [LogEntry]
    /// As the service sent it.
    package var json: JSONValue

    init(_ json: JSONValue) throws(ServiceError) {
        let fields = try JSONFields(json)
        self.json = json
        // The rest is not of the snapshot.
        let own = ["job", "digest", "sources", "log"]
        let members: [JSONValue.Member] =
            if case .object(let all) = json { all.filter { !own.containsExactly($0.key) } } else { [] }
        download = try ServiceDownload(.object(members))
        digest = try fields.optional("digest") { (json) throws(ServiceError) in
            let fields = try JSONFields(json)
            return Digest(
                algorithm: fields.text("algorithm") ?? "", value: fields.text("value") ?? "",
                matches: fields.flag("matches"))
        }
        sources = try fields.list("sources") { (json) throws(ServiceError) in
            let fields = try JSONFields(json)
            return Source(
                url: fields.text("url") ?? "", state: fields.text("state") ?? "", message: fields.text("message"))
        }
        log = try fields.list("log") { (json) throws(ServiceError) in
            let fields = try JSONFields(json)
            return LogEntry(
                time: fields.text("time") ?? "", code: fields.text("code") ?? "", message: fields.text("message") ?? "")
        }
    }
}
