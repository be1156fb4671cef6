extension DownloadMachine.Recovered {
    /// The relation of the bytes that stand under a name chosen by a server to the file that it offers.
    package enum Relation: Hashable, Sendable {
        case sameFile
        /// Nothing shows it, and the digest of the result will tell.
        case decidedByDigest
        /// Nothing shows that they are of this file, so they are left alone.
        case otherFile
        /// The bytes are of this very download, and were not there when it looked for them.
        case begunMeanwhile
    }

    /// - Parameter found: what the server says of its file.
    package func relation(to found: Representation, decidesByDigest: Bool) -> Relation {
        guard case .journal(let known, let ranges, _, _, let origin) = self else { return .begunMeanwhile }
        if known.isSameFile(as: found) { return .sameFile }
        guard !origin.isSameRequest else { return .begunMeanwhile }
        let fits = found.total.map { $0 == known.total ?? $0 && ranges.upperBound <= $0 } ?? true
        return decidesByDigest && fits ? .decidedByDigest : .otherFile
    }

    /// The bytes of a download from another URL; nil for those of this one.
    var ofOtherURL: UnprovenBytes? {
        guard case .journal(let known, _, _, _, .otherURL(let url)) = self else { return nil }
        return UnprovenBytes(journal: known, otherURL: url)
    }

    /// The ranges of the file that the journal claims.
    var durable: RangeSet {
        if case .journal(_, let ranges, _, _, _) = self { ranges } else { RangeSet() }
    }
}
