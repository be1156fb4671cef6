/// How an archive is unpacked.
public struct ExtractionOptions: Hashable, Sendable {
    /// What happens when the target directory exists already.
    public enum IfExists: String, Hashable, Sendable, CaseIterable {
        /// An error, before anything is written. An empty directory is in nobody's way.
        case fail
        /// The next free name, such as `photos (1)`.
        case rename
        /// What was there is removed once the new directory is durable and has its name.
        case replace
        /// Nothing is unpacked.
        case skip
    }

    public var ifExists: IfExists = .fail
    public var limits = ExtractionLimits()
    /// Make symbolic links whose targets stay inside the directory; all others are errors. False: each symbolic link is an error.
    public var allowsLinks = true
    /// Unpack members whose names differ only in case or in their Unicode form. On file systems that hold them for one name it fails all the same.
    public var allowsTwins = false
    /// Of encrypted zip archives. Never logged.
    public var password: String?
    /// Which members are wanted; nil: all. `*` and `?` match within a part of the path, `**` across parts.
    public var patterns: [String]?
    /// Left on the directory.
    package var mark: UnpackedMark?

    public init() {}
}
