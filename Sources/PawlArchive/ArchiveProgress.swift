/// The progress of an extraction or a packing.
public struct ArchiveProgress: Hashable, Sendable {
    /// Members that are done.
    public var members = 0
    /// The total number of members; nil while it is unknown.
    public var totalMembers: Int?
    /// Unpacked bytes that are written, or of files that are packed.
    public var bytes: Int64 = 0
    /// The total number of bytes; nil while it is unknown.
    public var totalBytes: Int64?
    /// Bytes of the archive that are read or written.
    public var archiveBytes: Int64 = 0
    public var totalArchiveBytes: Int64?
    /// The path of the member at work.
    public var member = ""
    /// Everything is written and is being synced.
    public var isSyncing = false

    public init() {}
}
