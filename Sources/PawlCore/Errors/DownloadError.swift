/// Why a download did not become a whole file, and what can be done.
///
/// Everything but cancellation, which is `CancellationError`, arrives as this one type. Loops look at ``recovery``, programs at
/// ``code`` and ``facts``, people at ``message``, beside which a program shows what it calls each of the ``remedies``. URLs in it
/// are redacted: no userinfo, no query values.
public struct DownloadError: Error, Hashable, Sendable {
    /// What a caller may do about it.
    public enum Recovery: Hashable, Sendable {
        /// Trying again at once may work; what was stored is kept.
        case retryNow
        /// Trying again later may work; what was stored is kept. Nil: when the cause, such as a full disk, is gone.
        case retryAfter(Duration?)
        /// A fresh URL or fresh credentials are needed; what was stored is kept.
        case reconnect
        /// Only a new start can work.
        case restart
        /// The request itself must change.
        case giveUp
    }

    public let code: Code
    /// One or two sentences for a person: what failed, on what, and what became of the bytes. It names no flag of a command and
    /// no field of a form: see ``remedies``.
    public let message: String
    /// What would help, each by itself; the most likely one first. Empty where nothing would, or nothing is known.
    public let remedies: [Remedy]
    /// What the message tells, as values.
    public let facts: Facts
    public let recovery: Recovery
    /// The cause as the layer below reported it, for logs.
    public let underlying: String?

    package init(
        _ code: Code, _ message: String, remedies: [Remedy] = [], recovery: Recovery, underlying: String? = nil, facts: Facts = Facts()
    ) {
        self.code = code
        self.message = message
        self.remedies = remedies
        self.facts = facts
        self.recovery = recovery
        self.underlying = underlying
    }
}

extension DownloadError: CustomStringConvertible {
    public var description: String { message }
}
