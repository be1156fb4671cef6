/// Valid answers about another file than the requested one.
extension DownloadMachine {
    /// Returns the reason to believe that an acceptable response is of another file than the wanted one; nil if there
    /// is none.
    func stranger(_ found: Representation, from source: SourceID) -> Stranger? {
        if let total = found.total {
            if let expected = settings.expectedSize, total != expected { return .length(total, expected: expected) }
            if let pieces = settings.checkablePieces, !pieces.fits(total) { return .pieces(total) }
        }
        let isFirst = representation == nil || attempt.file.establishedBy == source
        if let wanted = settings.digest,
            found.digests.contains(where: { $0.algorithm == wanted.algorithm && $0 != wanted }),
            sources.count > 1
        {
            return .digest
        }
        guard !isFirst, sources[source].file.representation == nil, !settings.decidesByDigest,
            !sources[source].isServerSuggested
        else { return nil }
        let isShown = representation.map { common in
            common.digests.contains { $0.algorithm.isSecure && found.digests.contains($0) }
        }
        return isShown ?? true ? nil : .unproven
    }

    /// The reasons to doubt that a source has the same file.
    enum Stranger: Hashable, Sendable {
        case length(Int64, expected: Int64)
        case pieces(Int64)
        case digest
        case unproven
    }

    mutating func turnAway(_ id: ExchangeID, _ stranger: Stranger, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let (source, url) = (segments[index].source, segments[index].url)
        let cancel = cancelSegment(id)
        if stranger == .unproven {
            let why = "nothing in its response proves that it is the same file"
            return cancel + part(with: source, as: .onlyAlone, .mirrorDiffers(url, why), at: now)
        }
        let error = stranger.error(at: url)
        if canSpare(source) {
            return cancel + part(with: source, as: .different, .mirrorDiffers(url, stranger.words), at: now)
        }
        return cancel + giveUp(source, because: error, at: now)
    }
}

extension DownloadMachine.Stranger {
    /// The difference, in a few words.
    var words: String {
        switch self {
        case .length(let found, let expected): "it is \(found) bytes long; expected \(expected)"
        case .pieces(let found): "its length of \(found) bytes does not match the piece hashes"
        case .digest: "it states a different digest"
        case .unproven: "nothing proves that it is the same file"
        }
    }

    func error(at url: HTTPURL) -> DownloadError {
        DownloadError(
            .changed, "\(url.redacted) has a different file: \(words).", remedies: [.checkURL],
            recovery: .giveUp)
    }
}
