/// What a packing has made.
public struct PackingResult: Hashable, Sendable {
    /// Of the archive; another than asked for where ``PackingOptions/IfExists/rename`` chose it.
    public var path: String
    /// Files, directories and links.
    public var members: Int
    /// Of the members, those that are files.
    public var files: Int
    /// Bytes of the files that were packed.
    public var bytes: Int64
    /// Bytes of the archive.
    public var archiveBytes: Int64
}
