/// The limits of what an archive may unpack to (FAULTS Z03). Exceeding a limit stops the extraction with
/// ``ArchiveError/Code/tooLarge``, and leaves nothing behind.
public struct ExtractionLimits: Hashable, Sendable {
    /// The largest number of bytes of all members together. Nil, the default: 10 GiB, or ten times the archive,
    /// whichever is more.
    public var maximumBytes: Int64?
    /// The largest ratio of unpacked to compressed size, of each member and of the whole archive. Applies beyond the
    /// first 256 MiB only, as small files of zeros and logs are harmless. Default 100; nil for no limit.
    public var maximumRatio: Int64? = 100
    /// The largest number of members. Defaults to 1,000,000.
    public var maximumMembers = 1_000_000

    public init() {}
}
