/// Bytes of an earlier run that began from another URL, or with other secrets: an answer has to show that the server's
/// file is the same before any byte is added to them.
package struct UnprovenBytes: Hashable, Sendable {
    /// Description of their file in the journal.
    var journal: Representation
    /// The other URL; nil where only secrets differ.
    var otherURL: HTTPURL?
    /// The evidence that the server's file is the same, up to the comparison that precedes the first new byte.
    var evidence: Evidence?

    package init(journal: Representation, otherURL: HTTPURL?) {
        self.journal = journal
        self.otherURL = otherURL
    }

    package enum Evidence: String, Hashable, Sendable {
        /// Both servers named the same digest.
        case version
        /// The digest of the finished file decides.
        case digest
        /// Samples are the same, beside the same length and tag, or with the caller's consent.
        case samples
    }

    package enum Judgement: Hashable, Sendable {
        case evident(Evidence)
        /// Samples of them have to be compared with the server's: fewer where the same tag is likely a digest.
        case comparable(isLikely: Bool)
        case doubtful(Doubt)
    }

    /// The reason why nothing is added to them.
    package enum Doubt: Hashable, Sendable {
        case differs(Representation.Difference)
        /// The server states nothing that differs, and nothing shows that the file is the same.
        case unidentified
        /// Length and date are the same, which two files can share.
        case alike
        /// The journal names no version: there may be bytes of two in the file.
        case ownVersionUnknown
        /// One of the two lengths is not known.
        case lengthUnknown
        /// No answer could be compared with the held bytes.
        case incomparable

        /// Equal samples could still show that the file is probably the same.
        var isComparable: Bool {
            switch self {
            case .differs(.validator), .differs(.date), .unidentified, .alike: true
            case .differs, .ownVersionUnknown, .lengthUnknown, .incomparable: false
            }
        }

        var words: String {
            switch self {
            case .differs(.content): "its bytes differ from those already downloaded"
            case .differs(let difference): "its \(difference.rawValue) differs"
            case .unidentified: "its server does not identify the version"
            case .alike: "only its length and date match"
            case .ownVersionUnknown: "the stored data does not tell which version it is of"
            case .lengthUnknown: "its length is not known"
            case .incomparable: "its server's answers cannot be compared with the stored data"
            }
        }
    }

    /// - Parameters:
    ///   - consents: the caller lets equal samples count.
    ///   - mayCompare: samples can be fetched.
    ///   - heldCount: bytes held.
    package func judge(
        _ found: Representation, heldCount: Int64, decidesByDigest: Bool, consents: Bool, mayCompare: Bool = true
    ) -> Judgement {
        let comparison = journal.compare(with: found)
        switch comparison {
        case .different(.total), .different(.digest), .different(.contentCoding):
            if case .different(let difference) = comparison { return .doubtful(.differs(difference)) }
        case .same where journal.digests.contains { $0.algorithm.isSecure && found.digests.contains($0) }:
            return .evident(.version)
        case .same, .different, .unproven: break
        }
        if decidesByDigest { return .evident(.digest) }
        guard journal.isIdentified else { return .doubtful(.ownVersionUnknown) }
        guard journal.total != nil, found.total != nil else { return .doubtful(.lengthUnknown) }
        // A tag speaks for its own resource alone (RFC 9110 §8.8.1), so samples are compared even where it is the same.
        // One that copies of two versions may share counts only where all held bytes are compared.
        let sameTag = journal.strongEntityTag.flatMap { tag in
            let isTelling = journal.hasTellingTag || heldCount <= Self.largestSample * Self.sampleCount
            return comparison == .same && isTelling && found.entityTag == tag ? tag : nil
        }
        if mayCompare, found.isCombinable, consents || sameTag != nil {
            return .comparable(isLikely: sameTag?.isLikelyDigest ?? false)
        }
        if case .different(let difference) = comparison { return .doubtful(.differs(difference)) }
        return .doubtful(comparison == .same ? .alike : .unidentified)
    }

    /// Whether only equal samples could show that the file is the same.
    func needsSamples(decidesByDigest: Bool) -> Bool {
        !decidesByDigest && journal.isIdentified && journal.total != nil
            && !journal.digests.contains(where: \.algorithm.isSecure)
    }

    private static let (sampleCount, largestSample) = (Int64(32), Int64(64 << 10))

    /// Stretches of the held bytes to compare with the server's, from the first to the last: all of them up to 2 MiB,
    /// or 32 of 64 KiB. Where the file is likely the same, 8 that are an eighth of them, of 4 to 32 KiB each.
    package static func samples(of held: RangeSet, isLikely: Bool) -> [ByteRange] {
        let count = isLikely ? 8 : sampleCount
        let length = isLikely ? min(max(4 << 10, held.count / 64), 32 << 10) : largestSample
        guard held.count > count * length else { return held.ranges.flatMap { $0.split(every: 256 << 10) } }
        return (0..<count).flatMap { number in
            // Counted within the held bytes, whatever gaps there are between them.
            let start = number * (held.count - length) / (count - 1)
            return held.ranges(between: start, and: start + length)
        }
    }
}

extension ByteRange {
    fileprivate func split(every length: Int64) -> [ByteRange] {
        stride(from: start, to: end, by: Int(length)).map { ByteRange($0..<min($0 + length, end)) }
    }
}

extension RangeSet {
    /// Stretches of the set from its byte number `start` up to its byte number `end`, the gaps not counted.
    fileprivate func ranges(between start: Int64, and end: Int64) -> [ByteRange] {
        var before: Int64 = 0
        return ranges.compactMap { range in
            defer { before += range.count }
            let (first, last) = (max(start - before, 0), min(end - before, range.count))
            return first < last ? ByteRange(range.start + first..<range.start + last) : nil
        }
    }
}
