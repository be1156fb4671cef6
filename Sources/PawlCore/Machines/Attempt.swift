/// One start of a download: the file it is of, and the bytes held of that file. Starting over replaces the whole value.
struct Attempt: Sendable {
    var file = EstablishedFile()
    /// Accepted bytes whose identity only the final digest proves.
    var restsOnDigest = false
    /// The last answer would have shown if it had been cut.
    var framingShowedEnd = true
    /// The partial file exists.
    var isPrepared = false
    /// In the partial file by writes that returned.
    var written = RangeSet()
    var pieces: PieceLedger?
    var earlier = EarlierBytes()
    var overlap = OverlapCheck()
    var checkpoints = CheckpointMachine()

    init(of settings: DownloadSettings) { pieces = settings.checkablePieces.map(PieceLedger.init) }

    /// The next start of the same download. Only what was measured of the disk is carried over.
    func next(of settings: DownloadSettings) -> Attempt {
        var next = Attempt(of: settings)
        next.checkpoints = checkpoints.startingOver
        return next
    }

    /// The bytes held are known to be of the file in hand, so others may be added to them and the journal may claim
    /// them.
    var isSettled: Bool { isPrepared && !earlier.isAdopting && !earlier.needsProof }
}

/// Which file is in hand, and whose word says so.
struct EstablishedFile: Hashable, Sendable {
    var representation: Representation?
    /// The source whose validators identify the file; nil where its bytes came from several.
    private(set) var establishedBy: SourceID?
    /// Bytes of several sources stand in the file.
    private(set) var isMixed = false

    /// The first answer, or an earlier run, has shown which file it is.
    mutating func establish(_ found: Representation, by source: SourceID) {
        representation = found
        establishedBy = source
    }

    /// Bytes of another source are added. What one server alone says identifies the file no longer.
    ///
    /// - Parameter digests: what does, beside the length.
    mutating func mix(digests: [Digest]) {
        establishedBy = nil
        isMixed = true
        representation = representation.map {
            Representation(total: $0.total, contentCoding: $0.contentCoding, digests: digests)
        }
    }
}

/// What this run found on disk when it began.
struct EarlierBytes: Hashable, Sendable {
    /// Some of the bytes held came before this run, which cannot be asked who gave them.
    var holdsBytes = false
    /// How many of them are used.
    var resumedFrom: Int64 = 0
    /// A file of the caller's that has not been compared with the server's yet.
    var isAdopting = false
    /// The caller's file as it was found: this run has not written to it yet.
    var untouched: UntouchedFile?
    /// They may be another file's, until an answer shows that they are of this one.
    var needsProof = false
    /// The partial file began as another program's, or perhaps as another file's, and must not be removed.
    var isForeign = false
}

/// The comparison of held bytes with what the server sends in their place (FAULTS R15).
struct OverlapCheck: Hashable, Sendable {
    var isDone = false
    private(set) var halvings = 0
    /// Held bytes that the next exchange asks for once more, with what is missing behind them (FAULTS R05).
    private var precedingRange: ByteRange?
    static let maximumPrecedingLength: Int64 = 1 << 20

    /// A connection that breaks before it has got past the overlap brings nothing new, so the next one is asked to
    /// repeat less.
    mutating func noteBroken() { halvings = min(halvings + 4, 16) }

    mutating func askAgain(for held: ByteRange) { precedingRange = held }

    /// How many bytes before this position are asked for once more. It is a matter of the next exchange alone.
    mutating func takePrecedingLength(before position: Int64) -> Int64? {
        defer { precedingRange = nil }
        return precedingRange.flatMap { $0.end == position ? $0.count : nil }
    }
}
