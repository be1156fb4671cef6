/// The result of packing an archive.
public struct PackingResult: Hashable, Sendable {
    /// The path of the archive; not the requested one where ``PackingOptions/IfExists/rename`` chose another.
    public var path: String
    /// The number of files, directories and links.
    public var members: Int
    /// The number of members that are files.
    public var files: Int
    /// The number of bytes of the files that were packed.
    public var bytes: Int64
    /// The length of the archive, in bytes.
    public var archiveBytes: Int64
}
