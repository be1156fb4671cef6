public import PawlCore
public import PawlJobs

/// A place in the queue.
public enum QueuePlace: Hashable, Sendable, RequestValue {
    case top
    case bottom
    /// The index in the queue, from 0.
    case index(Int)
    /// The place before or after another download, given by its id; the download adopts that one's priority.
    case before(String)
    case after(String)
    /// Moves by a number of places; negative towards the top.
    case by(Int)

    var json: JSONValue {
        switch self {
        case .top: .string("top")
        case .bottom: .string("bottom")
        case .index(let index): .integer(index)
        case .before(let id): ["before": .string(id)]
        case .after(let id): ["after": .string(id)]
        case .by(let count): ["by": .integer(count)]
        }
    }

    /// The same again has no further effect.
    var isIdempotent: Bool { if case .by = self { false } else { true } }
}

/// A job for the service.
public struct NewDownload: Hashable, Sendable, RequestObject {
    /// The job. An id in it must be a UUID in lower case.
    public var job: JobSpec
    /// The priority, −1000 to 1000; higher ones run first.
    public var priority: Int
    /// Whether to add the download paused.
    public var isPaused: Bool
    /// A tag to find the download by: up to 64 characters.
    public var tag: String?
    /// The place in the queue; nil for the end.
    public var position: QueuePlace?

    public init(
        _ job: JobSpec, priority: Int = 0, isPaused: Bool = false, tag: String? = nil, position: QueuePlace? = nil
    ) {
        self.job = job
        self.priority = priority
        self.isPaused = isPaused
        self.tag = tag
        self.position = position
    }

    /// A download of one URL to the service's directory.
    public init(_ url: String) { self.init(JobSpec(url)) }

    /// The download that a command line of curl describes, as the “Copy as cURL” of a browser writes it.
    ///
    /// - Throws: `JobSpecError`, whose message has a sentence for each option that a job lacks.
    public init(curl line: String) throws(JobSpecError) { self.init(try JobSpec(curl: line)) }

    static let members: [RequestMember<Self>] = [
        .init(job: \.job), .init("priority", \.priority, unless: 0), .init("paused", \.isPaused, unless: false),
        .init("tag", \.tag), .init("position", \.position),
    ]
}

/// The selection of downloads.
public struct DownloadFilter: Hashable, Sendable, RequestObject {
    /// The states to select; empty for all.
    public var states: [ServiceDownload.State] = []
    /// The text to find in the file's name, the URL or the tag; case is ignored.
    public var text: String?
    public var tag: String?
    /// The ids of downloads that are left out. For actions: a list has none.
    public var excluded: [String] = []

    /// Creates a filter that selects every download.
    public init() {}

    static let members: [RequestMember<Self>] = [
        .init("state", \.states, unless: []), .init("q", \.text), .init("tag", \.tag),
        .init("except", \.excluded, unless: []),
    ]
}

/// The selection and the order of a list.
public struct DownloadQuery: Hashable, Sendable, RequestObject {
    public var filter = DownloadFilter()
    /// `position`, `added`, `name`, `size` or `state`; a minus in front reverses it. Nil: `position`.
    public var sort: String?
    /// The largest number of downloads on a page: up to 1,000.
    public var limit = 100
    /// ``ServicePage/next`` of the page before.
    public var cursor: String?
    /// The number of matching downloads to skip; not together with a cursor.
    public var offset: Int?

    public init() {}

    /// The query of a URL, with the question mark.
    var text: String {
        guard case .object(let parameters) = json else { return "" }
        return "?" + parameters.map { "\($0.key)=\(Self.encoded(Self.text(of: $0.value)))" }.joined(separator: "&")
    }

    /// Commas part the words of a list, and are none of their characters.
    private static func text(of value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let values): values.map(text).joined(separator: ",")
        default: value.encoded
        }
    }

    /// Escapes all characters but a comma and the unreserved ones of RFC 3986.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if ASCII.isAlphanumeric(byte) || "-._~,".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return encoded
    }

    /// The parameters of the query.
    static let members: [RequestMember<Self>] = [
        .init("state", \.filter.states, unless: []), .init("q", \.filter.text), .init("tag", \.filter.tag),
        .init("sort", \.sort), .init(always: "limit", \.limit), .init("cursor", \.cursor), .init("offset", \.offset),
    ]
}

/// An action on downloads.
public enum ServiceAction: Hashable, Sendable {
    case pause
    /// Skips the wait of a waiting download, too.
    case resume
    case retry
    /// Takes them off the list. Their files stay unless they are deleted, and unfinished ones can be resumed by adding
    /// the same job.
    case remove(deletesFiles: Bool)
    /// Reads finished files again and compares them with their digests.
    case verify
    case extract
    case prioritize(Int)
    /// Move downloads; several keep their order among themselves.
    case move(QueuePlace)

    /// The request for it, without the downloads that it is about.
    var request: ActionRequest {
        switch self {
        case .pause: ActionRequest(action: .pause)
        case .resume: ActionRequest(action: .resume)
        case .retry: ActionRequest(action: .retry)
        case .remove(let deletes): ActionRequest(action: .remove, files: deletes ? .delete : .keep)
        case .verify: ActionRequest(action: .verify)
        case .extract: ActionRequest(action: .extract)
        case .prioritize(let priority): ActionRequest(action: .prioritize, priority: priority)
        case .move(let position): ActionRequest(action: .prioritize, position: position)
        }
    }

    /// The same again has no further effect.
    var isIdempotent: Bool { if case .move(let position) = self { position.isIdempotent } else { true } }
}

/// The body of an action on several downloads.
struct ActionRequest: RequestObject {
    enum Name: String, CaseIterable, RequestValue {
        case pause, resume, retry, remove, verify, extract, prioritize
    }

    enum Files: String, CaseIterable, RequestValue {
        case keep, delete
    }

    var action: Name
    var files: Files?
    var priority: Int?
    var position: QueuePlace?
    /// The ids of the downloads; nil if a filter selects them.
    var ids: [String]?
    var filter: DownloadFilter?

    static let members: [RequestMember<Self>] = [
        .init(always: "action", \.action), .init("files", \.files), .init("priority", \.priority),
        .init("position", \.position), .init("ids", \.ids), .init("filter", \.filter),
    ]
}

/// Changes to a download; nil leaves a property as it is.
public struct DownloadPatch: Hashable, Sendable, RequestObject {
    public var priority: Int?
    public var position: QueuePlace?
    /// The speed limit, in bytes per second; `.some(nil)` lifts it.
    public var maxSpeed: Int64??
    /// The number of connections, 1 to 16.
    public var connections: Int?
    /// A fresh URL of the same file. Stored bytes are kept if the file is the same. Header fields and credentials meant
    /// for another origin are dropped.
    public var url: String?
    /// The URLs of the same file to use as well.
    public var mirrors: [String] = []
    /// The header fields that replace the present ones.
    public var headers: [HTTPField]?
    /// `.some(nil)` takes it away.
    public var authentication: Authentication??
    /// The name of the file, while it is unfinished.
    public var fileName: String?
    /// Resumes what another URL or program began, if samples match the server's.
    public var adoptsPartialFile: Bool?
    /// The policy for a file that exists; `replace` also sets a partial file of another URL aside.
    public var ifExists: ExistingFilePolicy?
    /// `.some(nil)` removes the tag.
    public var tag: String??

    public init() {}

    static let members: [RequestMember<Self>] = [
        .init("priority", \.priority), .init("position", \.position), .init("maxSpeed", \.maxSpeed),
        .init("connections", \.connections), .init("url", \.url), .init("mirrors", \.mirrors, unless: []),
        .init("authentication", \.authentication), .init("headers", \.headers), .init("file", \.fileName),
        .init("adopt", \.adoptsPartialFile), .init("ifExists", \.ifExists), .init("tag", \.tag),
    ]
}

/// Changes to the settings; nil leaves a setting as it is.
public struct SettingsPatch: Hashable, Sendable, RequestObject {
    public var maximumRunning: Int?
    public var maximumConnectionsPerHost: Int?
    public var connections: Int?
    /// The speed limit of all downloads together, in bytes per second; `.some(nil)` lifts the limit.
    public var speedLimit: Int64??
    /// `.some(nil)` removes the timetable.
    public var timetable: String??
    public var directory: String?
    /// The policy for an existing file, unless the job sets another.
    public var ifExists: ExistingFilePolicy?
    /// The number of days that ended downloads stay listed; `.some(nil)` until they are removed.
    public var historyDays: Int??
    /// The number of ended downloads that stay listed; `.some(nil)` for all.
    public var historyCount: Int??

    public init() {}

    static let members: [RequestMember<Self>] = [
        .init("maximumRunning", \.maximumRunning), .init("maximumConnectionsPerHost", \.maximumConnectionsPerHost),
        .init("connections", \.connections), .init("speedLimit", \.speedLimit), .init("timetable", \.timetable),
        .init("directory", \.directory), .init("ifExists", \.ifExists), .init("historyDays", \.historyDays),
        .init("historyCount", \.historyCount),
    ]
}
