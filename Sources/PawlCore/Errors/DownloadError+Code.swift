extension DownloadError {
    /// The kind of a failure, as a stable name that programs may compare, store and show.
    ///
    /// Later versions may add codes, so a `switch` needs a `default`. ``DownloadError/recovery`` says what to do about
    /// a code that a program does not know.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// The URL cannot be used: malformed, or neither http nor https.
        public static let invalidURL = Code(rawValue: "invalidURL")
        /// Another argument cannot be used: a digest, a rate, a number of connections, a header.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// Connection, name resolution or transfer failed more often than is worth retrying.
        public static let network = Code(rawValue: "network")
        /// The certificate of the server was not accepted, or the handshake failed.
        public static let tls = Code(rawValue: "tls")
        /// 401 or 403: the server wants credentials, or the link has expired.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// 404 or 410.
        public static let notFound = Code(rawValue: "notFound")
        /// The server refused in another way, such as a 429 that lasts longer than a client should wait silently.
        public static let refused = Code(rawValue: "refused")
        /// The server ignores byte ranges, and parts of the file were requested.
        public static let rangesNotSupported = Code(rawValue: "rangesNotSupported")
        /// A response that breaks HTTP or contradicts itself.
        public static let badResponse = Code(rawValue: "badResponse")
        /// The file is larger than the caller allows.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The file may be truncated: the server gave neither a length nor a clear end, and the caller requires a
        /// complete file.
        public static let incomplete = Code(rawValue: "incomplete")
        /// Too many redirects, a loop, or a redirect that may not be followed.
        public static let redirect = Code(rawValue: "redirect")
        /// The file changed on the server, and the request says to fail in that case.
        public static let changed = Code(rawValue: "changed")
        /// The download took longer than the caller allows. Stored bytes are kept.
        public static let timeout = Code(rawValue: "timeout")
        /// The bytes do not match the expected digest.
        public static let digestMismatch = Code(rawValue: "digestMismatch")
        public static let diskFull = Code(rawValue: "diskFull")
        /// No permission to write the directory or file, or to read what is there.
        public static let notWritable = Code(rawValue: "notWritable")
        /// The disk or file system failed; nothing since the last checkpoint is believed.
        public static let diskError = Code(rawValue: "diskError")
        /// No thread can be started: the user or the container may have no more processes.
        public static let tooFewThreads = Code(rawValue: "tooFewThreads")
        /// The target exists already, or is not a regular file.
        public static let fileExists = Code(rawValue: "fileExists")
        /// Another process is downloading to the same target.
        public static let locked = Code(rawValue: "locked")
        /// The journal is corrupt, of a newer version, or of another download.
        public static let journal = Code(rawValue: "journal")
        /// The partial file was moved, replaced or shortened by someone else while it was written.
        public static let partialFileChanged = Code(rawValue: "partialFileChanged")
        /// The download is complete: there is nothing left to pause or resume.
        public static let alreadyCompleted = Code(rawValue: "alreadyCompleted")
        /// The manager has no download with this id.
        public static let unknownDownload = Code(rawValue: "unknownDownload")
    }
}

extension DownloadError.Code {
    /// Every code of this version; tests check that all code that distinguishes them knows each.
    package static let all: [DownloadError.Code] = [
        .invalidURL, .invalidArgument, .network, .tls, .unauthorized, .notFound, .refused,
        .rangesNotSupported, .badResponse, .tooLarge, .incomplete, .redirect, .changed, .timeout,
        .digestMismatch, .diskFull, .notWritable, .diskError, .tooFewThreads, .fileExists, .locked, .journal,
        .partialFileChanged, .alreadyCompleted, .unknownDownload,
    ]
}
