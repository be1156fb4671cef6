/// The options for unpacking an archive.
public struct ExtractionOptions: Hashable, Sendable {
    /// The behaviour when the target directory already exists.
    public enum IfExists: String, Hashable, Sendable, CaseIterable {
        /// Fail, before anything is written. An empty directory does not count.
        case fail
        /// The next free name, such as `photos (1)`.
        case rename
        /// Remove the old one once the new directory is durable and has its name.
        case replace
        /// Keep the directory and unpack nothing.
        case skip
    }

    public var ifExists: IfExists = .fail
    public var limits = ExtractionLimits()
    /// Whether symbolic links are created whose targets stay inside the directory; all others are errors. If false,
    /// each symbolic link is an error.
    public var allowsLinks = true
    /// Whether members are unpacked whose names differ only in case or in their Unicode form. Extraction fails all the
    /// same on file systems that treat them as one name.
    public var allowsTwins = false
    /// The password of encrypted zip archives. Never logged.
    public var password: String?
    /// The members to unpack; nil for all. `*` and `?` match within a part of the path, `**` across parts.
    public var patterns: [String]?
    /// The mark to leave on the directory.
    package var mark: UnpackedMark?
    /// Whether a symbolic link is followed in the path of the archive, or of the directory to unpack into. False
    /// refuses it, however late it came there.
    package var followsDirectoryLinks = true

    public init() {}
}
