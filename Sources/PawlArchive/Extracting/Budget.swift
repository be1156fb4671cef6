/// The remaining allowance for unpacking an archive (FAULTS Z03).
struct Budget {
    /// The size below which the ratio is ignored: small files of zeros and logs are harmless.
    static let ratioFreeBytes: Int64 = 256 << 20
    private static let leastBytes: Int64 = 10 << 30

    private let limits: ExtractionLimits
    private let maximumBytes: Int64
    private let archiveLength: Int64
    private(set) var bytes: Int64 = 0
    private var members = 0
    private var member = ArchiveMember(path: "", kind: .directory)
    private var memberBytes: Int64 = 0

    /// - Throws: ``ArchiveError/Code/invalidArgument`` for limits that allow nothing.
    init(_ limits: ExtractionLimits, archiveLength: Int64) throws(ArchiveError) {
        guard limits.maximumBytes ?? 1 > 0, limits.maximumRatio ?? 1 > 0, limits.maximumMembers > 0 else {
            throw ArchiveError(.invalidArgument, "Limits for unpacking must be at least 1.")
        }
        self.limits = limits
        self.archiveLength = archiveLength
        let tenfold = max(0, archiveLength).multipliedReportingOverflow(by: 10)
        maximumBytes = limits.maximumBytes ?? max(Self.leastBytes, tenfold.overflow ? .max : tenfold.partialValue)
    }

    /// Checks the numbers announced at the beginning of an archive, before anything is written.
    func checkAnnounced(members: Int, bytes: Int64) throws(ArchiveError) {
        if members > limits.maximumMembers { throw tooMany }
        if bytes > maximumBytes { throw tooLarge }
        try checkRatio(bytes, of: archiveLength, "The archive")
    }

    mutating func begin(_ member: ArchiveMember) throws(ArchiveError) {
        self.member = member
        memberBytes = 0
        members += 1
        if members > limits.maximumMembers { throw tooMany }
    }

    func checkDirectories(_ count: Int) throws(ArchiveError) {
        if count > limits.maximumMembers { throw tooMany }
    }

    /// The size that the member is said to have, before its first byte.
    func checkSize(_ size: Int64) throws(ArchiveError) {
        guard size >= memberBytes else { return }
        let (sum, overflow) = bytes.addingReportingOverflow(size - memberBytes)
        if overflow || sum > maximumBytes { throw tooLarge }
        try checkRatios(sum, size)
    }

    /// The member now reaches to `end`.
    mutating func grow(to end: Int64) throws(ArchiveError) {
        guard end > memberBytes else { return }
        try checkSize(end)
        // Proven: just checked.
        bytes += end - memberBytes
        memberBytes = end
    }

    private func checkRatios(_ sum: Int64, _ size: Int64) throws(ArchiveError) {
        if let compressed = member.compressedSize { try checkRatio(size, of: compressed, "\(quoted(member.path))") }
        try checkRatio(sum, of: archiveLength, "The archive")
    }

    private func checkRatio(_ bytes: Int64, of compressed: Int64, _ what: String) throws(ArchiveError) {
        guard let ratio = limits.maximumRatio, bytes > Self.ratioFreeBytes else { return }
        let (most, overflow) = max(0, compressed).multipliedReportingOverflow(by: ratio)
        if overflow || bytes <= most { return }
        throw ArchiveError(
            .tooLarge,
            "\(what) would unpack to more than \(ratio) times its compressed size, as zip bombs do.",
            remedies: [.raiseMaximumRatio], member: self.member.path.isEmpty ? nil : self.member.path)
    }

    private var tooLarge: ArchiveError {
        ArchiveError(
            .tooLarge, "The archive would unpack to more than the limit of \(maximumBytes) bytes.",
            remedies: [.raiseMaximumBytes],
            member: member.path.isEmpty ? nil : member.path)
    }

    private var tooMany: ArchiveError {
        ArchiveError(
            .tooLarge, "The archive has more members than the limit of \(limits.maximumMembers).",
            remedies: [.raiseMaximumMembers])
    }
}
