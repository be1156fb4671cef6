/// How much an archive may become (FAULTS Z03). What is exceeded stops the extraction with ``ArchiveError/Code/tooLarge``, and nothing of it
/// stays.
public struct ExtractionLimits: Hashable, Sendable {
    /// Bytes of all members together. Nil, the default: 10 GiB, or ten times the archive, whichever is more.
    public var maximumBytes: Int64?
    /// How many times as large as its compressed form a member, and all members as the archive, may become. Counts beyond the first 256 MiB
    /// only, as files of zeros and logs are harmless while they are small. Default 100; nil for no limit.
    public var maximumRatio: Int64? = 100
    /// Default 1,000,000.
    public var maximumMembers = 1_000_000

    public init() {}
}
