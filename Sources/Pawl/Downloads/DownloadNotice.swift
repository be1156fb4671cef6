public import PawlCore

/// An event worth reporting to a person or a log about a download that continues.
///
/// Programs use ``code`` and ``facts``, people read ``message``. URLs in it are redacted: no userinfo, no query values.
public struct DownloadNotice: Hashable, Sendable {
    public let code: Code
    /// One or two sentences. They name no flag of a command and no field of a form: see the ``DownloadError/remedies``
    /// of the ``error``.
    public let message: String
    /// The values that the message tells.
    public let facts: Facts
    /// The failure that the notice is about, if any.
    public let error: DownloadError?

    package init(_ code: Code, _ message: String, facts: Facts = Facts(), error: DownloadError? = nil) {
        self.code = code
        self.message = message
        self.facts = facts
        self.error = error
    }
}

extension DownloadNotice: CustomStringConvertible {
    public var description: String { message }
}

extension DownloadNotice {
    /// The values that ``DownloadNotice/message`` tells. Each code says which ones it has; each of the others is nil,
    /// as is a value that was not known.
    public struct Facts: Hashable, Sendable {
        /// Bytes that were stored before.
        public var offset: Int64?
        /// The URL of a source, or the destination of a redirect.
        public var url: String?
        /// A reason, or a value that a server sent, in its own words.
        public var detail: String?
        public var skipReason: SkipReason?
        /// Old bytes were set aside.
        public var isKept: Bool?
        /// The number of failures in a row, without progress between them.
        public var failures: Int?
        /// The time until the next try.
        public var delay: Duration?
        /// The HTTP status code of the server's response.
        public var status: Int?
        /// Connections that are used from now on, or retries without progress after which the download fails.
        public var limit: Int?
        /// The number of a piece, from 0.
        public var piece: Int?
        /// The ``DownloadProgress/Connection/id`` of a connection.
        public var connection: Int?
        /// A range of bytes in the file.
        public var range: ByteRange?
        /// Every byte of a segment before this position is in the partial file.
        public var storedUpTo: Int64?

        package init() {}
    }

    /// The subject of a notice, as a stable name that programs may compare, store and show.
    ///
    /// Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// An earlier run's bytes are used: ``Facts/offset`` says how many, in all its ranges together. For a download
        /// by one connection that is where it goes on.
        public static let resumed = Code(rawValue: "resumed")
        /// The bytes of ``resumed`` were begun from the other URL ``Facts/url``. ``Facts/detail`` is how the file was
        /// shown to be the same: `version` (both servers named the same digest), `digest` (the expected
        /// digest is checked at the end) or `samples` (length and samples of the bytes).
        public static let tookOver = Code(rawValue: "tookOver")
        /// ``Facts/url``.
        public static let redirected = Code(rawValue: "redirected")
        /// The server ignores ranges: one connection, and an interrupted download restarts from zero.
        public static let rangesIgnored = Code(rawValue: "rangesIgnored")
        /// The file was modified within two seconds before it was served, or nothing shows that it was earlier, so
        /// another change could not be detected: one connection fetches it, and an interruption means starting over.
        public static let recentlyModified = Code(rawValue: "recentlyModified")
        /// Nothing is fetched: ``Facts/skipReason``.
        public static let skipped = Code(rawValue: "skipped")
        /// The server's modification time is not valid for a file, which keeps the time of the download.
        /// ``Facts/detail`` is what the server sent.
        public static let remoteTimeNotKept = Code(rawValue: "remoteTimeNotKept")
        /// The file system does not take the extended attributes that were to tell where the file came from.
        public static let attributesNotKept = Code(rawValue: "attributesNotKept")
        /// The server compressed the file though asked not to; it is stored as it came. ``Facts/detail`` is the coding.
        public static let encoded = Code(rawValue: "encoded")
        /// The file changed on the server. ``Facts/detail`` is what differs.
        public static let changed = Code(rawValue: "changed")
        /// The download starts over, because stored bytes of an earlier run or connection cannot be shown to belong to
        /// the server's file, which has no strong validator or was modified just before it was served.
        /// ``Facts/isKept``: the old bytes were set aside; otherwise nothing could ever have used them.
        public static let startedOver = Code(rawValue: "startedOver")
        /// A fresh URL is being fetched.
        public static let refreshing = Code(rawValue: "refreshing")
        /// The timetable of the speed limit fetches nothing until the time that ``Facts/detail`` shows; then the
        /// download resumes.
        public static let pausedByTimetable = Code(rawValue: "pausedByTimetable")
        /// A failure that will be retried: ``DownloadNotice/error``, ``Facts/failures``, ``Facts/limit``,
        /// ``Facts/delay``. Without a limit no server can be reached, and the network is waited for.
        public static let retrying = Code(rawValue: "retrying")
        /// The server refused one more connection: ``Facts/status``, ``Facts/limit``.
        public static let connectionRefused = Code(rawValue: "connectionRefused")
        /// A source is no longer used, while others are: ``Facts/url``, ``DownloadNotice/error``.
        public static let sourceFailed = Code(rawValue: "sourceFailed")
        /// A source is not used for a while; others are: ``Facts/url``, ``DownloadNotice/error``, ``Facts/delay``.
        public static let sourceRested = Code(rawValue: "sourceRested")
        /// A mirror has another file, or does not show that it has the same, and is not used beside others:
        /// ``Facts/url``, and in ``Facts/detail`` how that is known.
        public static let mirrorDiffers = Code(rawValue: "mirrorDiffers")
        /// The digest did not match what several sources gave together: the file is fetched anew, from this source
        /// alone: ``Facts/url``.
        public static let startedAlone = Code(rawValue: "startedAlone")
        /// A piece was not what its hash says and is fetched again: ``Facts/piece``, ``Facts/range``, and ``Facts/url``
        /// where one source gave all of it.
        public static let pieceWrong = Code(rawValue: "pieceWrong")
        /// A connection began work on a range: ``Facts/connection``, and ``Facts/range`` where it is known.
        public static let segmentBegan = Code(rawValue: "segmentBegan")
        /// A connection ended its work on a range: ``Facts/connection``, ``Facts/storedUpTo``.
        public static let segmentEnded = Code(rawValue: "segmentEnded")
    }
}
