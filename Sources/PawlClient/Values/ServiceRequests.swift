public import PawlCore
public import PawlJobs

/// A place in the queue.
public enum QueuePlace: Hashable, Sendable {
    case top
    case bottom
    /// From 0.
    case index(Int)
    /// Before or after another download, by its id; its priority is adopted.
    case before(String)
    case after(String)
    /// So many places; negative towards the top.
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
public struct NewDownload: Hashable, Sendable {
    /// Its id, if there is one, has to be a UUID in lower case.
    public var job: JobSpec
    /// Higher ones run first: −1000 to 1000.
    public var priority: Int
    /// Add it paused.
    public var isPaused: Bool
    /// To find it by: up to 64 characters.
    public var tag: String?
    /// Nil: the end of the queue.
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

    var json: JSONValue {
        guard case .object(var members) = job.jsonValue else { return .null }
        if priority != 0 { members.append(.init(key: "priority", value: .integer(priority))) }
        if isPaused { members.append(.init(key: "paused", value: .boolean(true))) }
        if let tag { members.append(.init(key: "tag", value: .string(tag))) }
        if let position { members.append(.init(key: "position", value: position.json)) }
        return .object(members)
    }
}

/// Which downloads.
public struct DownloadFilter: Hashable, Sendable {
    /// All if empty.
    public var states: [ServiceDownload.State] = []
    /// In the file's name, the URL or the tag; case is ignored.
    public var text: String?
    public var tag: String?

    /// Every download.
    public init() {}

    var json: JSONValue {
        var members: [JSONValue.Member] = []
        if !states.isEmpty { members.append(.init(key: "state", value: .array(states.map { .string($0.rawValue) }))) }
        if let text { members.append(.init(key: "q", value: .string(text))) }
        if let tag { members.append(.init(key: "tag", value: .string(tag))) }
        return .object(members)
    }
}

/// What a list shows, and in which order.
public struct DownloadQuery: Hashable, Sendable {
    public var filter = DownloadFilter()
    /// `position`, `added`, `name`, `size` or `state`; a minus in front reverses it. Nil: `position`.
    public var sort: String?
    /// How many downloads a page has at most: up to 1,000.
    public var limit = 100
    /// ``ServicePage/next`` of the page before.
    public var cursor: String?

    public init() {}

    /// The query of a URL, with the question mark.
    var text: String {
        var pairs: [(String, String)] = []
        // Commas part the states, and are none of their characters.
        if !filter.states.isEmpty { pairs.append(("state", filter.states.map(\.rawValue).joined(separator: ","))) }
        if let text = filter.text { pairs.append(("q", text)) }
        if let tag = filter.tag { pairs.append(("tag", tag)) }
        if let sort { pairs.append(("sort", sort)) }
        pairs.append(("limit", "\(limit)"))
        if let cursor { pairs.append(("cursor", cursor)) }
        return "?" + pairs.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
    }

    /// All but the unreserved characters of RFC 3986 is escaped, a comma apart.
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
}

/// What to do with downloads.
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
    /// Several keep their order among themselves.
    case move(QueuePlace)

    var members: [JSONValue.Member] {
        switch self {
        case .pause: [Self.name("pause")]
        case .resume: [Self.name("resume")]
        case .retry: [Self.name("retry")]
        case .remove(let deletes):
            [Self.name("remove"), .init(key: "files", value: .string(deletes ? "delete" : "keep"))]
        case .verify: [Self.name("verify")]
        case .extract: [Self.name("extract")]
        case .prioritize(let priority): [Self.name("prioritize"), .init(key: "priority", value: .integer(priority))]
        case .move(let position): [Self.name("prioritize"), .init(key: "position", value: position.json)]
        }
    }

    private static func name(_ name: String) -> JSONValue.Member { .init(key: "action", value: .string(name)) }

    /// The same again has no further effect.
    var isIdempotent: Bool { if case .move(let position) = self { position.isIdempotent } else { true } }
}

/// What to change of a download; nil leaves a property as it is.
public struct DownloadPatch: Hashable, Sendable {
    public var priority: Int?
    public var position: QueuePlace?
    /// In bytes per second; `.some(nil)` lifts the limit.
    public var speedLimit: Int64??
    /// 1 to 16.
    public var connections: Int?
    /// A fresh URL of the same file. Stored bytes are kept if the file is the same. Header fields and credentials meant
    /// for another origin are dropped.
    public var url: String?
    /// URLs of the same file to use as well.
    public var mirrors: [String] = []
    /// In place of those it has.
    public var headers: [HTTPField]?
    /// `.some(nil)` takes it away.
    public var authentication: JobSpec.Authentication??
    /// The name of the file, while it is unfinished.
    public var fileName: String?
    /// `.some(nil)` removes the tag.
    public var tag: String??

    public init() {}

    var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let priority { members.append(.init(key: "priority", value: .integer(priority))) }
        if let position { members.append(.init(key: "position", value: position.json)) }
        if let speedLimit { members.append(.init(key: "speedLimit", value: .optional(speedLimit))) }
        if let connections { members.append(.init(key: "connections", value: .integer(connections))) }
        if let url { members.append(.init(key: "url", value: .string(url))) }
        if !mirrors.isEmpty { members.append(.init(key: "mirrors", value: .array(mirrors.map { .string($0) }))) }
        members += jobMembers
        if let fileName { members.append(.init(key: "file", value: .string(fileName))) }
        if let tag { members.append(.init(key: "tag", value: .optional(tag))) }
        return .object(members)
    }

    /// What is written as in a job.
    private var jobMembers: [JSONValue.Member] {
        var job = JobSpec("")
        job.headers = headers ?? []
        job.authentication = authentication ?? nil
        guard case .object(var members) = job.jsonValue else { return [] }
        members.removeAll { member in
            !["headers", "authentication"].contains { member.key.utf8.elementsEqual($0.utf8) }
        }
        if case .some(nil) = authentication { members.append(.init(key: "authentication", value: .null)) }
        if headers?.isEmpty == true { members.append(.init(key: "headers", value: [])) }
        return members
    }
}

/// What to change of the settings; nil leaves a setting as it is.
public struct SettingsPatch: Hashable, Sendable {
    public var maximumRunning: Int?
    public var maximumConnectionsPerHost: Int?
    public var connections: Int?
    /// Of all downloads together; `.some(nil)` lifts the limit.
    public var speedLimit: Int64??
    /// `.some(nil)` removes the timetable.
    public var timetable: String??
    public var directory: String?

    public init() {}

    var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let maximumRunning { members.append(.init(key: "maximumRunning", value: .integer(maximumRunning))) }
        if let maximumConnectionsPerHost {
            members.append(.init(key: "maximumConnectionsPerHost", value: .integer(maximumConnectionsPerHost)))
        }
        if let connections { members.append(.init(key: "connections", value: .integer(connections))) }
        if let speedLimit { members.append(.init(key: "speedLimit", value: .optional(speedLimit))) }
        if let timetable { members.append(.init(key: "timetable", value: .optional(timetable))) }
        if let directory { members.append(.init(key: "directory", value: .string(directory))) }
        return .object(members)
    }
}
