/// The progress of an extraction or a packing.
public struct ArchiveProgress: Hashable, Sendable {
    /// The number of members that are done.
    public var members = 0
    /// The total number of members; nil while it is unknown.
    public var totalMembers: Int?
    /// The number of unpacked bytes that are written, or of bytes of files that are packed.
    public var bytes: Int64 = 0
    /// The total number of bytes; nil while it is unknown.
    public var totalBytes: Int64?
    /// The number of bytes of the archive that are read or written.
    public var archiveBytes: Int64 = 0
    public var totalArchiveBytes: Int64?
    /// The path of the member at work.
    public var member = ""
    /// Whether everything is written and is being synced.
    public var isSyncing = false

    public init() {}
}
