/// A member of an archive, as the archive describes it. Nothing here has been checked for safety: the extraction does
/// that.
public struct ArchiveMember: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case file
        case directory
        /// The text of the link.
        case symbolicLink(String)
        /// The path of an earlier member.
        case hardLink(String)
        /// Another kind of member, in words: “a character device”.
        case other(String)
    }

    /// The path of the member, with `/` between its parts, whatever the archive uses. Bytes that are not text are
    /// replaced as described in docs/archives.md.
    public var path: String
    public var kind: Kind
    /// The unpacked size in bytes; nil if the archive states it only at the end.
    public var size: Int64?
    /// The compressed size in bytes; nil if members are not compressed individually.
    public var compressedSize: Int64?
    public var crc32: UInt32?
    /// Seconds since 1970; nil where the archive has no time.
    public var modified: Int64?
    public var isExecutable: Bool
    public var isEncrypted: Bool
    /// The compression method as the format names it, such as `deflate`; nil if members are not compressed
    /// individually.
    public var method: String?
    /// A letter and a colon at the beginning of ``path`` name a drive: the member was made on DOS or Windows.
    package var namesDrives = false

    package init(
        path: String, kind: Kind, size: Int64? = nil, compressedSize: Int64? = nil, crc32: UInt32? = nil,
        modified: Int64? = nil,
        isExecutable: Bool = false, isEncrypted: Bool = false, method: String? = nil
    ) {
        self.path = path
        self.kind = kind
        self.size = size
        self.compressedSize = compressedSize
        self.crc32 = crc32
        self.modified = modified
        self.isExecutable = isExecutable
        self.isEncrypted = isEncrypted
        self.method = method
    }
}
