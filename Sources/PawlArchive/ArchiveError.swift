/// Why an archive could not be read, unpacked or made, and what can be done.
///
/// Everything but cancellation, which is `CancellationError`, arrives as this one type.
public struct ArchiveError: Error, Hashable, Sendable {
    public let code: Code
    /// One or two sentences for a person: what failed, on what, and what to do. It names the member, with control characters escaped.
    public let message: String
    /// The member it happened at, as ``ArchiveMember/path`` has it.
    public let member: String?
    /// The cause as the layer below reported it, for logs.
    public let underlying: String?

    package init(_ code: Code, _ message: String, member: String? = nil, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.member = member
        self.underlying = underlying
    }
}

extension ArchiveError: CustomStringConvertible {
    public var description: String { message }
}
