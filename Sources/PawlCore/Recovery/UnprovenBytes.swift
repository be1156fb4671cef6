/// Bytes of an earlier run that began from another URL, or with other secrets: an answer has to show that the server's
/// file is the same before any byte is added to them.
package struct UnprovenBytes: Hashable, Sendable {
    /// Description of their file in the journal.
    var journal: Representation
    /// The other URL; nil where only secrets differ.
    var otherURL: HTTPURL?
    /// How the server's file was shown to be the same, up to the comparison that precedes the first new byte.
    var evidence: Evidence?

    package init(journal: Representation, otherURL: HTTPURL?) {
        self.journal = journal
        self.otherURL = otherURL
    }

    package enum Evidence: String, Hashable, Sendable {
        /// The version is the same: a digest of the server, or tag, length and date.
        case version
        /// The digest of the finished file decides.
        case digest
        /// Length and samples are the same, which may also be true of another version.
        case samples
    }

    package enum Judgement: Hashable, Sendable {
        case evident(Evidence)
        /// Samples of them have to be compared with the server's.
        case comparable
        case doubtful(Doubt)
    }

    /// The reason why nothing is added to them.
    package enum Doubt: Hashable, Sendable {
        case differs(Representation.Difference)
        /// Nothing differs that the server tells, and nothing shows that the file is the same.
        case unidentified
        case rangesIgnored

        /// Equal samples could still show that the file is probably the same.
        var isComparable: Bool {
            switch self {
            case .differs(.total), .differs(.content), .rangesIgnored: false
            case .differs, .unidentified: true
            }
        }

        var words: String {
            switch self {
            case .differs(.content): "its bytes differ from those already downloaded"
            case .differs(let difference): "its \(difference.rawValue) differs"
            case .unidentified: "its server does not identify the version"
            case .rangesIgnored: "its server ignores byte ranges"
            }
        }
    }

    /// - Parameter comparesSamples: the caller lets equal samples count.
    package func judge(_ found: Representation, decidesByDigest: Bool, comparesSamples: Bool) -> Judgement {
        if journal.isSameFile(as: found) { return .evident(.version) }
        let comparison = journal.compare(with: found)
        if comparison == .different(.total) { return .doubtful(.differs(.total)) }
        if decidesByDigest { return .evident(.digest) }
        // A tag speaks for its own resource alone (RFC 9110 §8.8.1), so beside another date it needs the samples.
        if let total = journal.total, total == found.total, found.isCombinable, comparesSamples || comparison == .same {
            return .comparable
        }
        if case .different(let difference) = comparison { return .doubtful(.differs(difference)) }
        return .doubtful(.unidentified)
    }

    private static let sampleCount: Int64 = 8
    private static let sampleLength: Int64 = 256 << 10

    /// Stretches of the held bytes to compare with the server's, 2 MiB at most: all of them, or the first, the last,
    /// and six between.
    package static func samples(of held: RangeSet) -> [ByteRange] {
        guard held.count > sampleCount * sampleLength else { return held.ranges }
        return (0..<sampleCount).flatMap { number in
            // Counted within the held bytes, whatever gaps there are between them.
            let start = number * (held.count - sampleLength) / (sampleCount - 1)
            return held.ranges(between: start, and: start + sampleLength)
        }
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
