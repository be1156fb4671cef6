/// The failure of a call to the service: the service's own problem (RFC 9457), or no usable answer at all.
///
/// Programs compare ``code``; ``message`` and ``hint`` are for people.
public struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name. Those below are the client's own; the service's are in docs/api.md, and later versions may add
    /// codes to both.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// Nothing listens at the address.
        public static let notRunning = Code(rawValue: "notRunning")
        /// The address is not usable: no socket can be there, or this user may not connect to it.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The connection ended before the answer was complete. What the call asks for may have been done.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The answer did not come in time. What the call asks for may have been done.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The program that answered is not the service, or is a version of it that this client does not understand.
        public static let foreignAnswer = Code(rawValue: "foreignAnswer")
        /// The answer has more bytes than the client accepts.
        public static let answerTooLarge = Code(rawValue: "answerTooLarge")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A file that the client needs, such as that of the token, cannot be used.
        public static let unusableFile = Code(rawValue: "unusableFile")
        /// No thread can be started for the call.
        public static let tooFewThreads = Code(rawValue: "tooFewThreads")
        /// An argument of the call cannot be used.
        public static let invalidArgument = Code(rawValue: "invalidArgument")

        /// The service has no such download.
        public static let unknownDownload = Code(rawValue: "unknownDownload")
        /// The service requires a token.
        public static let tokenRequired = Code(rawValue: "tokenRequired")
        /// The service has another token.
        public static let wrongToken = Code(rawValue: "wrongToken")
        /// Another download has the same id.
        public static let idInUse = Code(rawValue: "idInUse")
        /// Another download writes to the same file.
        public static let targetInUse = Code(rawValue: "targetInUse")
        /// `If-Match` did not match.
        public static let changed = Code(rawValue: "changed")
        /// The disk with the service's database is full.
        public static let storeFull = Code(rawValue: "storeFull")
    }

    public var code: Code
    /// The failure, as a sentence.
    public var message: String
    /// The service's advice that would help, as a sentence; nil if it gave none.
    public var hint: String?
    /// The HTTP status; nil without an answer of the service.
    public var status: Int?
    /// The members or parameters of the request that are wrong.
    public var fields: [String]
    /// The download that is in the way.
    public var id: String?
    /// The line of a document.
    public var line: Int?

    public init(
        _ code: Code, _ message: String, hint: String? = nil, status: Int? = nil, fields: [String] = [],
        id: String? = nil, line: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.fields = fields
        self.id = id
        self.line = line
    }

    /// The message and the hint.
    public var description: String { hint.map { "\(message) \($0)" } ?? message }

    /// Whether no answer came although one may come if the call is repeated.
    package var isLostAnswer: Bool { code == .connectionLost || code == .timedOut }
}
