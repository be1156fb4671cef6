/// The reason why an archive could not be read, unpacked or created, and the remedies.
///
/// Every failure but cancellation, which is `CancellationError`, has this type.
public struct ArchiveError: Error, Hashable, Sendable {
    public let code: Code
    /// The failure and its subject, in one or two sentences for a person. The message names the member, with control
    /// characters escaped, and no flag of a command: see ``remedies``.
    public let message: String
    /// The remedies, each sufficient by itself; the most likely one first.
    public let remedies: [Remedy]
    /// The member at which it happened, as in ``ArchiveMember/path``.
    public let member: String?
    /// The cause as reported by the layer below, for logs.
    public let underlying: String?

    package init(
        _ code: Code, _ message: String, remedies: [Remedy] = [], member: String? = nil, underlying: String? = nil
    ) {
        self.code = code
        self.message = message
        self.remedies = remedies
        self.member = member
        self.underlying = underlying
    }
}

extension ArchiveError: CustomStringConvertible {
    public var description: String { message }
}
