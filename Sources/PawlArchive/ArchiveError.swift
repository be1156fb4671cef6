/// Why an archive could not be read, unpacked or made, and what can be done.
///
/// Everything but cancellation, which is `CancellationError`, arrives as this one type.
public struct ArchiveError: Error, Hashable, Sendable {
    public let code: Code
    /// One or two sentences for a person: what failed, and on what. It names the member, with control characters escaped, and no
    /// flag of a command: see ``remedies``.
    public let message: String
    /// What would help, each by itself; the most likely one first.
    public let remedies: [Remedy]
    /// The member it happened at, as ``ArchiveMember/path`` has it.
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
