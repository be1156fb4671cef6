/// One start of a download: the file it is of, and the bytes held of that file. Starting over replaces the whole value.
struct Attempt: Sendable {
    var file = EstablishedFile()
    /// Accepted bytes whose identity only the final digest proves.
    var restsOnDigest = false
    /// The last answer was framed so that truncation would have shown.
    var framingShowedEnd = true
    /// The partial file exists.
    var isPrepared = false
    /// The ranges in the partial file by writes that returned.
    var written = RangeSet()
    var pieces: PieceLedger?
    /// The digest of all bytes, as it was found to match, or computed.
    var digest: Digest?
    var earlier = EarlierBytes()
    var overlap = OverlapCheck()
    var checkpoints = CheckpointMachine()

    init(of settings: DownloadSettings) { pieces = settings.checkablePieces.map(PieceLedger.init) }

    /// The next start of the same download. Only the measured disk speed is carried over.
    func next(of settings: DownloadSettings) -> Attempt {
        var next = Attempt(of: settings)
        next.checkpoints = checkpoints.startingOver
        return next
    }

    /// The held bytes are known to belong to the current file, so others may be added to them and the journal may claim
    /// them.
    var isSettled: Bool { isPrepared && !earlier.isAdopting && !earlier.needsProof }
}

/// The current file, and the source that identified it.
struct EstablishedFile: Hashable, Sendable {
    var representation: Representation?
    /// The first response of this run that was accepted.
    var response: ResponseFacts?
    /// The source whose validators identify the file; nil if its bytes came from several.
    private(set) var establishedBy: SourceID?
    /// The file holds bytes of several sources, or of what may be several versions.
    private(set) var isMixed = false

    /// The first answer, or an earlier run, has identified the file.
    mutating func establish(_ found: Representation, by source: SourceID) {
        representation = found
        establishedBy = source
    }

    /// Bytes of another source are added. The validators of one server no longer identify the file.
    ///
    /// - Parameter digests: what does, beside the length.
    mutating func mix(digests: [Digest]) {
        establishedBy = nil
        dropValidators(keeping: digests)
    }

    /// Bytes of what may be another version are added.
    mutating func dropValidators(keeping digests: [Digest]) {
        isMixed = true
        representation = representation.map {
            Representation(total: $0.total, contentCoding: $0.contentCoding, digests: digests)
        }
    }
}

/// The bytes that this run found on disk when it began.
struct EarlierBytes: Hashable, Sendable {
    /// Whether some of the held bytes are from before this run, so that their source is unknown.
    var holdsBytes = false
    /// The number of held bytes that are used.
    var resumedFrom: Int64 = 0
    /// A file of the caller's that has not been compared with the server's yet.
    var isAdopting = false
    /// Stretches of such a file that are still to be compared before its end is.
    private(set) var samples: [ByteRange] = []
    /// The caller's file as it was found: this run has not written to it yet.
    var untouched: UntouchedFile?
    /// The length of the whole file, according to the program that left its beginning.
    var statedTotal: Int64?
    /// Held bytes that may belong to another file until a response proves otherwise.
    var unproven: UnprovenBytes?
    var needsProof: Bool { unproven != nil }
    /// The partial file may be another program's or another file's, and must not be removed.
    var isForeign = false

    /// Whether no byte is added before a response could be compared with the held bytes.
    var isCompared: Bool { isAdopting || unproven?.otherURL != nil || needsProof && !samples.isEmpty }

    mutating func compare(_ samples: [ByteRange]) { self.samples = samples }

    /// Whether the exchange only compares the next sample.
    func isSample(_ segment: SegmentMachine) -> Bool {
        guard isAdopting || needsProof, let sample = samples.first else { return false }
        return segment.request.start == sample.start && segment.position == sample.end && segment.end == sample.end
    }

    mutating func notePassed() { samples.removeFirst() }
}

/// The comparison of held bytes with what the server sends in their place (FAULTS R15).
struct OverlapCheck: Hashable, Sendable {
    var isDone = false
    private(set) var halvings = 0
    /// Held bytes that the next exchange requests again, together with the missing bytes behind them.
    private var precedingRange: ByteRange?
    static let maximumPrecedingLength: Int64 = 1 << 20

    /// A connection that breaks within the overlap brings nothing new, so the next one repeats less.
    mutating func noteBroken() { halvings = min(halvings + 4, 16) }

    mutating func askAgain(for held: ByteRange) { precedingRange = held }

    /// Returns the number of bytes before this position that are requested again. Applies to the next exchange only.
    mutating func takePrecedingLength(before position: Int64) -> Int64? {
        defer { precedingRange = nil }
        return precedingRange.flatMap { $0.end == position ? $0.count : nil }
    }
}
