/// Pieces whose hashes are known: looked at as soon as they are whole, and fetched again when they are wrong.
extension DownloadMachine {
    /// No piece is left to check, or there are no hashes.
    var piecesAreVerified: Bool { attempt.pieces?.isVerified ?? true }

    mutating func checkPieces() -> [DownloadAction] {
        guard attempt.isPrepared, !attempt.earlier.isAdopting, !storageHasFailed, let total else { return [] }
        let written = written
        return attempt.pieces?.nextCheck(of: written, total: total).map { [.checkPieces($0)] } ?? []
    }

    mutating func checked(_ range: Range<Int>, wrong: [Int], at now: Instant) -> [DownloadAction] {
        guard let total else { return [] }
        var actions: [DownloadAction] = []
        for index in attempt.pieces?.checked(range, wrong: wrong) ?? [] {
            guard let bytes = settings.pieceHashes?.range(ofPiece: index, total: total) else { continue }
            actions += takeBack(index, bytes, at: now)
        }
        return actions
    }

    /// Drops one wrong piece, and records its sources.
    private mutating func takeBack(_ index: Int, _ bytes: ByteRange, at now: Instant) -> [DownloadAction] {
        let givers = sources.givers(of: bytes)
        attempt.written.remove(bytes)
        attempt.checkpoints.forget(bytes)
        for source in givers {
            sources[source].file.given.remove(bytes)
            sources[source].blame += 1 / Double(givers.count)
        }
        let count = attempt.pieces?.note(wrong: index, from: givers) ?? 1
        let url = givers.count == 1 ? sources[givers[0]].source.url : nil
        var actions: [DownloadAction] = [.report(.pieceWrong(index, bytes, from: url))]
        if count >= maximumTriesOfPiece {
            let error = neverRight(index, bytes, givers)
            return actions + (beginAgain(without: givers, error) ?? drain(for: .fail(error)))
        }
        for source in givers where sources[source].blame >= SourceState.maximumBlame && canSpare(source) {
            let error = DownloadError(
                .digestMismatch, "\(sources[source].source.url.redacted) sends wrong bytes.", recovery: .giveUp)
            actions += giveUp(source, because: error, at: now)
        }
        return actions
    }

    /// A source that said another length may have been right about it, and one that is of use only alone has the whole
    /// file. Those that gave the piece wrong are given up for good, so this comes to an end.
    private mutating func beginAgain(without givers: [SourceID], _ error: DownloadError) -> [DownloadAction]? {
        guard sources.contains(where: { $0.standing == .different || $0.standing == .onlyAlone }) else { return nil }
        for source in givers { sources[source].standing = .failed(error) }
        return givers.map { .report(.sourceFailed(sources[$0].source.url, error)) }
            + startOverUnproven(.untilPassed)
    }

    /// The number of tries for a piece: each source may be wrong about it once, and one more is for damage on the way.
    private var maximumTriesOfPiece: Int { max(3, sources.count { $0.isUsable } + 2) }

    private func neverRight(_ index: Int, _ bytes: ByteRange, _ givers: [SourceID]) -> DownloadError {
        let place = givers.map { sources[$0].source.url.redacted }.joined(separator: ", ")
        return DownloadError(
            .digestMismatch,
            "Piece \(index) (bytes \(bytes.start) to \(bytes.end - 1)) was downloaded several times and never matched its hash\(place.isEmpty ? "" : ", the last time from \(place)"). The rest is kept. The hash itself may be wrong.",
            remedies: [.addSource], recovery: .retryAfter(nil))
    }

    // MARK: Fetching them again

    /// Returns those of the missing ranges that this source may be asked for. A piece that was wrong stands alone, and
    /// comes first.
    func gaps(_ gaps: [ByteRange], for source: SourceID) -> [ByteRange] {
        guard let wrong = attempt.pieces?.wrong, !wrong.isEmpty, let total, let hashes = settings.pieceHashes else {
            return gaps
        }
        var rest = RangeSet(gaps)
        var again: [ByteRange] = []
        for (index, record) in wrong.sorted(by: { $0.key < $1.key }) {
            guard let bytes = hashes.range(ofPiece: index, total: total) else { continue }
            let missing = rest.intersection(bytes)
            rest.remove(bytes)
            if mayBring(record, source) { again += missing.ranges }
        }
        return again.first.map { [$0] } ?? rest.ranges
    }

    /// Whether a source may bring a wrong piece again. One that gave it wrong is asked only if no other can be.
    private func mayBring(_ record: PieceLedger.Wrong, _ source: SourceID) -> Bool {
        guard record.givers.contains(source) else { return true }
        return !sources.indices.contains { other in
            !record.givers.contains(other) && sources[other].offersRanges
        }
    }

    /// Whether the range was wrong before: its source was chosen deliberately, so no other gets a part of it.
    func isFetchedAgain(_ range: ByteRange) -> Bool {
        guard let wrong = attempt.pieces?.wrong, !wrong.isEmpty, let hashes = settings.pieceHashes else { return false }
        return hashes.pieces(in: range).contains { wrong[$0] != nil }
    }
}

extension DownloadSettings {
    /// Parts that different connections bring begin where pieces do, so that most pieces come from one source.
    var alignedPiece: Int64 {
        guard let length = checkablePieces?.pieceLength else { return self.smallestPiece }
        guard length < self.smallestPiece else { return length <= 16 << 20 ? length : self.smallestPiece }
        return (self.smallestPiece + length - 1) / length * length
    }
}
