/// The result of an extraction.
public struct ExtractionResult: Hashable, Sendable {
    /// The directory: the requested one, or another name with ``ExtractionOptions/IfExists/rename``.
    public let directory: String
    /// The number of files, directories and links that were unpacked.
    public let members: Int
    /// The unpacked size of all files together, in bytes.
    public let bytes: Int64
    /// The target existed, and nothing was unpacked (``ExtractionOptions/IfExists/skip``).
    public let isSkipped: Bool
    /// Remarks about the archive and its unpacking, for people.
    public let notices: [ArchiveNotice]

    package init(
        directory: String, members: Int, bytes: Int64, isSkipped: Bool = false, notices: [ArchiveNotice] = []
    ) {
        self.directory = directory
        self.members = members
        self.bytes = bytes
        self.isSkipped = isSkipped
        self.notices = notices
    }
}
