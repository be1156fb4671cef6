package import PawlCore

/// A download of the service, as it stood at one moment.
///
/// The members have the names of the API (docs/api.md). Times are RFC 3339 in UTC, sizes are bytes, rates are bytes per
/// second.
public struct ServiceDownload: Hashable, Sendable, Identifiable {
    public struct State: RawRepresentable, Hashable, Sendable, CustomStringConvertible, AnswerValue, RequestValue {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// The download waits for its turn.
        public static let queued = State(rawValue: "queued")
        public static let running = State(rawValue: "running")
        /// The download resumes by itself; ``ServiceDownload/whyWaiting`` tells when.
        public static let waiting = State(rawValue: "waiting")
        /// The user paused the download; it stays so until resumed.
        public static let paused = State(rawValue: "paused")
        public static let completed = State(rawValue: "completed")
        /// The download failed; only a retry by the user starts it again.
        public static let failed = State(rawValue: "failed")

        /// The states in the order in which the service sorts them.
        public static let all = [running, waiting, queued, paused, failed, completed]

        /// Whether the download has ended and changes no more by itself.
        public var hasEnded: Bool { self == .completed || self == .failed }
    }

    /// The failure of a download; for a completed one, that of unpacking it or of its hook.
    public struct Failure: Hashable, Sendable, AnswerObject {
        /// A code of docs/json-events.md.
        public var code = ""
        public var message = ""
        public var hint: String?
        /// The remedies that would help, as the names of `DownloadError.Remedy`, most likely first.
        public var remedies: [String] = []
        /// The condition for retrying: `retryNow`, `retryAfter`, `reconnect`, `restart` or `giveUp`.
        public var recovery = ""
        /// The step that failed: `resolve`, `fetch`, `verify`, `unpack` or `hook`.
        public var step = "fetch"

        static let members: [AnswerMember<Self>] = [
            .init("code", \.code), .init("message", \.message), .init("hint", \.hint), .init("remedies", \.remedies),
            .init("recovery", \.recovery), .init("step", \.step),
        ]
    }

    /// A connection to a server.
    public struct Connection: Hashable, Sendable, AnswerObject {
        public var id = 0
        /// The first byte of the connection's range; nil if unknown.
        public var start: Int64?
        /// The next byte it will store.
        public var position: Int64 = 0
        /// The end of the connection's range (exclusive); nil if unknown.
        public var end: Int64?
        public var rate: Int64 = 0
        public var host = ""

        static let members: [AnswerMember<Self>] = [
            .init("id", \.id), .init("start", \.start), .init("position", \.position), .init("end", \.end),
            .init("rate", \.rate), .init("host", \.host),
        ]
    }

    /// The condition under which a waiting download resumes.
    package struct Waiting: Hashable, Sendable, AnswerObject {
        package var code = ""
        package var host: String?
        /// The time until the download resumes, in seconds, when the snapshot was taken.
        package var seconds: Int64?
        /// The same as a time.
        package var until: String?

        static let members: [AnswerMember<Self>] = [
            .init("code", \.code), .init("host", \.host), .init("seconds", \.seconds), .init("until", \.until),
        ]
    }

    /// A file of a download that has several.
    public struct File: Hashable, Sendable, AnswerObject {
        public var index = 0
        public var name: String?
        public var directory = ""
        public var state = State.queued
        public var step: String?
        public var bytes: Int64 = 0
        /// The number of stored bytes that would survive a power cut now.
        public var durable: Int64 = 0
        public var total: Int64?
        public var rate: Int64 = 0
        public var error: Failure?
        public var isComplete: Bool?
        public var isVerified = false
        public var isMissing = false

        static let members: [AnswerMember<Self>] = [
            .init("index", \.index), .init("file", \.name), .init("directory", \.directory),
            .init(required: "state", \.state), .init("step", \.step), .init("bytes", \.bytes),
            .init("durable", \.durable), .init("total", \.total), .init("rate", \.rate),
            .init("error", \.error), .init("complete", \.isComplete), .init("verified", \.isVerified),
            .init("missing", \.isMissing),
        ]
    }

    public var id = ""
    /// The number of its last change. Progress is not a change.
    public var change: Int64 = 0
    public var state = State.queued
    /// The step that runs.
    public var step: String?
    /// The requested URL, without secrets.
    public var url = ""
    public var directory = ""
    /// The name of the file; nil while the server is to choose it.
    public var fileName: String?
    public var priority = 0
    /// The index in the queue; nil once it has ended.
    public var position: Int?
    public var tag: String?
    /// The number of bytes stored in the file.
    public var bytes: Int64 = 0
    /// The number of stored bytes that would survive a power cut now.
    public var durable: Int64 = 0
    /// The length of the file, in bytes; nil while it is unknown.
    public var total: Int64?
    public var rate: Int64 = 0
    public var secondsLeft: Int64?
    public var connections: [Connection] = []
    /// The speed limit, in bytes per second; nil for no limit.
    public var maxSpeed: Int64?
    /// The reason why the download is not running, as a sentence.
    public var whyWaiting: String?
    package var waiting: Waiting?
    /// Members of the job that the service keeps in memory only: after its restart, the download waits for them.
    public var notStored: [String] = []
    public var error: Failure?
    /// Whether all bytes came from one version of the file; nil until the download is completed.
    public var isComplete: Bool?
    /// Whether a digest matched.
    public var isVerified = false
    /// The file existed and was left as it was.
    public var wasSkipped = false
    /// The finished file is no longer there.
    public var isMissing = false
    /// The directory it was unpacked to.
    public var unpacked: String?
    public var added = ""
    public var started: String?
    public var ended: String?
    /// The files of a download that has several; otherwise empty.
    public var files: [File] = []
    /// The JSON as the service sent it.
    package var json = JSONValue.null

    /// The time until the download resumes, in seconds; nil if unknown.
    public var waitsSeconds: Int64? { waiting?.seconds }

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

extension ServiceDownload: AnswerObject {
    package init(_ json: JSONValue) throws(ServiceError) { try self.init(answer: json, "") }

    static let members: [AnswerMember<Self>] = [
        .init(required: "id", \.id), .init("change", \.change), .init(required: "state", \.state),
        .init("step", \.step), .init(required: "url", \.url), .init("directory", \.directory),
        .init("file", \.fileName), .init("priority", \.priority), .init("position", \.position),
        .init("tag", \.tag), .init("bytes", \.bytes), .init("durable", \.durable), .init("total", \.total),
        .init("rate", \.rate),
        .init("secondsLeft", \.secondsLeft), .init("connections", \.connections),
        // The former name first: the newer one holds where both are there.
        .init("speedLimit", \.maxSpeed), .init("maxSpeed", \.maxSpeed),
        .init("whyWaiting", \.whyWaiting), .init("waiting", \.waiting), .init("notStored", \.notStored),
        .init("error", \.error), .init("complete", \.isComplete), .init("verified", \.isVerified),
        .init("skipped", \.wasSkipped), .init("missing", \.isMissing), .init("unpacked", \.unpacked),
        .init("added", \.added), .init("started", \.started), .init("ended", \.ended), .init("files", \.files),
        .init(whole: \.json),
    ]
}

/// The progress of a running download: the figures that change many times a second.
public struct ServiceProgress: Hashable, Sendable, Identifiable, AnswerObject {
    public var id = ""
    public var bytes: Int64 = 0
    public var durable: Int64 = 0
    public var total: Int64?
    public var rate: Int64 = 0
    public var secondsLeft: Int64?
    public var connections: [ServiceDownload.Connection] = []
    /// The JSON as the service sent it.
    package var json = JSONValue.null

    static let members: [AnswerMember<Self>] = [
        .init(required: "id", \.id), .init("bytes", \.bytes), .init("durable", \.durable), .init("total", \.total),
        .init("rate", \.rate), .init("secondsLeft", \.secondsLeft), .init("connections", \.connections),
        .init(whole: \.json),
    ]

    /// Returns the JSON as the service sent it, preceded by the name of the event.
    package func json(event name: String) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object([JSONValue.Member(key: "event", value: .string(name))] + members)
    }
}

/// A download with its job, its sources and its log.
public struct ServiceDownloadDetail: Hashable, Sendable, AnswerObject {
    /// A URL from which the download fetches bytes.
    public struct Source: Hashable, Sendable, AnswerObject {
        public var url = ""
        public var host = ""
        /// `unused`, `used`, `resting` or `failed`.
        public var state = ""
        /// The reason why the source rests or failed.
        public var message: String?

        static let members: [AnswerMember<Self>] = [
            .init("url", \.url), .init("host", \.host), .init("state", \.state), .init("message", \.message),
        ]
    }

    public struct LogEntry: Hashable, Sendable, AnswerObject {
        public var time = ""
        public var code = ""
        public var message = ""

        static let members: [AnswerMember<Self>] = [
            .init("time", \.time), .init("code", \.code), .init("message", \.message),
        ]
    }

    /// The digest that the file must have.
    public struct Digest: Hashable, Sendable, AnswerObject {
        public var algorithm = ""
        public var value = ""
        /// The origin of the digest: `job`, `metalink`, `digestList` or `server`.
        public var origin = ""
        /// Whether the file has this digest; nil if it was not compared yet.
        public var matches: Bool?

        static let members: [AnswerMember<Self>] = [
            .init("algorithm", \.algorithm), .init("value", \.value), .init("origin", \.origin),
            .init("matches", \.matches),
        ]
    }

    public var download = ServiceDownload()
    public var digest: Digest?
    public var sources: [Source] = []
    /// The latest 100 entries of the log, oldest first.
    public var log: [LogEntry] = []
    /// The JSON as the service sent it.
    package var json = JSONValue.null

    static let members: [AnswerMember<Self>] = [
        .init(unread: "job"), .init("digest", \.digest), .init("sources", \.sources), .init("log", \.log),
        .init(beside: \.download), .init(whole: \.json),
    ]
}
