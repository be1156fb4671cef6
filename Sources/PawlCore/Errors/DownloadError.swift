/// The reason why a download did not complete, and what can be done.
///
/// Every failure but cancellation, which is `CancellationError`, has this type. Retry loops use ``recovery``, programs
/// use ``code`` and ``facts``, people read ``message``, beside which a program shows its own words for each of the
/// ``remedies``. URLs in it are redacted: no userinfo, no query values.
///
/// ```swift
/// let downloader = try Downloader()
/// do {
///     _ = try await downloader.download("https://example.org/disk.iso", to: "disk.iso")
/// } catch let error as DownloadError {
///     print(error.message)
///     switch error.recovery {
///     case .retryNow, .retryAfter: print("Try again later.")
///     case .reconnect: print("Log in again.")
///     case .restart, .giveUp: print("Retrying will not help.")
///     }
/// }
/// ```
public struct DownloadError: Error, Hashable, Sendable {
    /// The ways in which a caller can recover.
    public enum Recovery: Hashable, Sendable {
        /// Retrying at once may succeed; stored bytes are kept.
        case retryNow
        /// Retrying later may succeed; stored bytes are kept. Nil: once the cause, such as a full disk, is gone.
        case retryAfter(Duration?)
        /// A fresh URL or fresh credentials are needed; stored bytes are kept.
        case reconnect
        /// No retry can succeed but a restart from zero.
        case restart
        /// The request itself must change.
        case giveUp
    }

    public let code: Code
    /// One or two sentences for a person: what failed, on what, and what became of the bytes. It names no flag of a
    /// command and no field of a form: see ``remedies``.
    public let message: String
    /// Remedies, most likely first; any one may be enough. Empty if nothing would help, or nothing is known.
    public let remedies: [Remedy]
    /// The values that the message tells.
    public let facts: Facts
    public let recovery: Recovery
    /// The cause as reported by the layer below, for logs.
    public let underlying: String?

    package init(
        _ code: Code, _ message: String, remedies: [Remedy] = [], recovery: Recovery, underlying: String? = nil,
        facts: Facts = Facts()
    ) {
        self.code = code
        self.message = message
        self.remedies = remedies
        self.facts = facts
        self.recovery = recovery
        self.underlying = underlying
    }
}

extension DownloadError {
    /// The message without its full stop, for a sentence that goes on.
    package var clause: String {
        message.utf8.last == UInt8(ascii: ".") ? String(decoding: message.utf8.dropLast(), as: UTF8.self) : message
    }

    /// Whether the same request may succeed at another time.
    package var mayPass: Bool {
        switch recovery {
        case .retryNow, .retryAfter: true
        case .reconnect, .restart, .giveUp: false
        }
    }

    /// Whether stored bytes are kept for another run.
    package var keepsStoredBytes: Bool {
        switch recovery {
        case .retryNow, .retryAfter, .reconnect: true
        case .restart, .giveUp: false
        }
    }
}

extension DownloadError: CustomStringConvertible {
    public var description: String { message }
}
