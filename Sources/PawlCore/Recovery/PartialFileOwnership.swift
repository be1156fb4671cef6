/// The claims of an earlier run that have to be verified by their hashes, and those that remain.
package struct PartialFileOwnership: Sendable {
    /// Bytes that have to be hashed.
    package struct Block: Hashable, Sendable {
        package let range: ByteRange
        package let hash: UInt64
        package let function: BlockHashFunction
    }

    package enum Verdict: Hashable, Sendable {
        /// No hash agrees: it is another file than the one described.
        case otherFile
        /// No hash was there to show that it is the file described.
        case unproven
        /// A hash disagrees, so somebody may have written to the file, or its disk has lost bytes: ask a review that
        /// `doubts`.
        case doubtful
        /// `damaged`: their bytes are no longer what was received.
        case claims(RangeSet, damaged: [ByteRange], isVerified: Bool)
    }

    /// The claimed ranges, without those past the end of a shortened file (FAULTS D12, J07).
    private let claimed: RangeSet
    private let durableBlocks: [Block]
    private let unsyncedBlocks: [Block]
    private let isProven: Bool
    private let wasVerified: Bool
    private let doubts: Bool

    /// - Parameters:
    ///   - durable: nil when only unsynced claims are left.
    ///   - unsynced: nil when none are believed.
    ///   - likeness: of the partial file to the record it is recovered by.
    ///   - bootID: of this boot; empty where the system does not tell, and then no boot is known to be the same.
    ///   - reach: what the file is long enough for.
    ///   - doubts: all hashes are compared, and bytes without one are not believed.
    package init(
        durable: JournalRecord?, unsynced: JournalRecord?, _ likeness: Likeness, bootID: [UInt8], reach: RangeSet,
        doubts: Bool = false
    ) {
        let (durableClaims, unsyncedClaims) = (durable?.durable ?? RangeSet(), unsynced?.durable ?? RangeSet())
        isProven = likeness == .same
        self.doubts = doubts
        wasVerified = (durable ?? unsynced)?.state == .verified
        claimed = reach.intersection(durableClaims.union(unsyncedClaims))
        durableBlocks =
            durable.map { durable in
                // After another boot the disk has been through a power cycle; within one, the last generations are
                // looked at all the same.
                let isSameBoot = !bootID.isEmpty && durable.owner.bootID == bootID
                let isTrusted = isSameBoot && likeness == .same && !doubts
                let suspects = isTrusted ? durable.recentBlocks : durable.blockHashes.keys.sorted()
                return durable.hashedBlocks(within: reach.intersection(durableClaims), among: suspects)
            } ?? []
        unsyncedBlocks =
            unsynced.map { unsynced in
                let news = unsynced.blockHashes.keys.sorted().filter {
                    likeness != .same || doubts || durable?.blockHashes[$0] == nil
                }
                return unsynced.hashedBlocks(within: reach.intersection(unsyncedClaims), among: news)
            } ?? []
    }

    /// The blocks, in the order of the file within each record.
    package var blocks: [Block] { durableBlocks + unsyncedBlocks }

    /// - Parameter isRight: for each of ``blocks``, whether the bytes have the hash.
    package func verdict(isRight: [Bool]) -> Verdict {
        let judged = zip(blocks, isRight)
        let damaged = judged.filter { !$0.1 }.map(\.0.range)
        let remaining = damaged.reduce(into: claimed) { $0.remove($1) }
        if isProven, !doubts {
            return damaged.isEmpty ? .claims(claimed, damaged: [], isVerified: wasVerified) : .doubtful
        }
        var agreeing = RangeSet(judged.filter(\.1).map(\.0.range))
        for (block, isRight) in judged.dropFirst(durableBlocks.count) where !isRight { agreeing.remove(block.range) }
        // FAULTS D25: an inode number may be all that the file shares with the one described.
        if agreeing.isEmpty, !isProven { return blocks.isEmpty ? .unproven : .otherFile }
        let shown = remaining.intersection(agreeing)
        return .claims(shown, damaged: damaged, isVerified: wasVerified && shown == claimed)
    }
}

extension JournalRecord {
    /// The blocks among `indices` that are claimed whole.
    package func hashedBlocks(within claims: RangeSet, among indices: [Int64]) -> [PartialFileOwnership.Block] {
        indices.compactMap { index in
            guard let hash = blockHashes[index],
                let range = BlockHasher.range(ofBlock: index, blockSize: blockSize, total: representation.total),
                claims.contains(range)
            else { return nil }
            return PartialFileOwnership.Block(range: range, hash: hash, function: blockHashFunction)
        }
    }
}
