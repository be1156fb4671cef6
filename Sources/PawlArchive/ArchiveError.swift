/// Why an archive could not be read, unpacked or made, and what can be done.
///
/// Everything but cancellation, which is `CancellationError`, arrives as this one type.
public struct ArchiveError: Error, Hashable, Sendable {
    /// What went wrong, as a stable name.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// An argument cannot be used: a limit, a pattern, a list of files.
        case invalidArgument
        /// The file could not be opened or read.
        case unreadable
        /// The file is no archive of a kind that is known.
        case notAnArchive
        /// The end of the archive is missing.
        case truncated
        /// The archive contradicts itself, or the bytes of a member do not have their checksum.
        case damaged
        /// A member is stored in a way that is not known: a method of compression, several disks.
        case unsupported
        /// A member is encrypted, and no password was given.
        case passwordNeeded
        /// The password is not that of the member.
        case wrongPassword
        /// The name of a member leads outside the directory, or cannot be a name.
        case unsafeName
        /// A link leads outside the directory, or to nothing in it.
        case unsafeLink
        /// Two members would be one file.
        case duplicateName
        /// A member is neither a file nor a directory nor a link: a device, a socket.
        case unsafeKind
        /// It would become larger, or have more members, than the limits allow.
        case tooLarge
        /// No member has that name.
        case noSuchMember
        /// The target exists already.
        case targetExists
        /// Another process is unpacking or packing to the same target.
        case locked
        case diskFull
        /// The directory or file may not be written.
        case notWritable
        case diskError
        /// A file changed while it was packed.
        case changed
    }

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
