/// The options for creating an archive.
public struct PackingOptions: Hashable, Sendable {
    /// The behaviour when the archive's file already exists.
    public enum IfExists: String, Hashable, Sendable, CaseIterable {
        /// Fail, before anything is written.
        case fail
        /// The next free name, such as `photos (1).zip`.
        case rename
        /// Replace it once the new archive is complete and durable.
        case replace
    }

    public var ifExists: IfExists = .fail
    /// The level of compression, in the numbers of the format: 0–9 for zip, 1–9 for gzip and bzip2, 0–9 for xz, 1–19
    /// for zstd. Nil for the format's default. A tar without compression takes none.
    public var level: Int?

    public init() {}
}
