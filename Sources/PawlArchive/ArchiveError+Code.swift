extension ArchiveError {
    /// A stable name for what went wrong, which programs may compare, store and show.
    ///
    /// Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// An argument cannot be used: a limit, a pattern, a list of files.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The file could not be opened or read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is not an archive of a known format.
        public static let notAnArchive = Code(rawValue: "notAnArchive")
        /// The end of the archive is missing.
        public static let truncated = Code(rawValue: "truncated")
        /// The archive contradicts itself, or the bytes of a member do not match their checksum.
        public static let damaged = Code(rawValue: "damaged")
        /// A member is stored in an unsupported way: a compression method, several disks.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A member is encrypted, and no password was given.
        public static let passwordNeeded = Code(rawValue: "passwordNeeded")
        /// The password is wrong for the member.
        public static let wrongPassword = Code(rawValue: "wrongPassword")
        /// A member's name leads outside the directory, or is not a valid name.
        public static let unsafeName = Code(rawValue: "unsafeName")
        /// A link leads outside the directory, or to nothing in it.
        public static let unsafeLink = Code(rawValue: "unsafeLink")
        /// Two members would become one file.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// A member is neither a file, a directory nor a link: a device, a socket.
        public static let unsafeKind = Code(rawValue: "unsafeKind")
        /// The unpacked archive would exceed the limits of size or number of members.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// No member has that name.
        public static let noSuchMember = Code(rawValue: "noSuchMember")
        /// The target already exists.
        public static let targetExists = Code(rawValue: "targetExists")
        /// Another process is unpacking or packing to the same target.
        public static let locked = Code(rawValue: "locked")
        public static let diskFull = Code(rawValue: "diskFull")
        /// There is no permission to write the directory or file.
        public static let notWritable = Code(rawValue: "notWritable")
        public static let diskError = Code(rawValue: "diskError")
        /// A file changed while it was packed.
        public static let changed = Code(rawValue: "changed")
    }
}

extension ArchiveError.Code {
    /// Every code of this version; tests check that all code that distinguishes them knows each.
    package static let all: [ArchiveError.Code] = [
        .invalidArgument, .unreadable, .notAnArchive, .truncated, .damaged, .unsupported, .passwordNeeded,
        .wrongPassword, .unsafeName, .unsafeLink, .duplicateName, .unsafeKind, .tooLarge, .noSuchMember,
        .targetExists, .locked, .diskFull, .notWritable, .diskError, .changed,
    ]
}
