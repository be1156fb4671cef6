import PawlCore

/// The hashes in a journal: those of the latest blocks, as many as a slot holds.
///
/// A file of known length has no more blocks than that. Of one whose length nobody knows the older blocks have been
/// durable for longest, and a bad power cut hits what was written last. So what a record costs does not depend on how
/// long the file is.
struct JournalBlocks {
    let size: Int64
    let function: BlockHashFunction
    private(set) var hashes: [Int64: UInt64] = [:]
    /// The keys of `hashes`, in the order in which they came.
    private var arrivals: [Int64] = []
    /// Hashed since the last generation, and in the one before. Some of them may have been forgotten.
    private(set) var fresh: [Int64] = []
    private(set) var recent: [Int64] = []

    static let maximumCount = Int(BlockHasher.maximumBlocks)
    /// Forgotten together, so that each costs little.
    private static let batch = 256

    init(size: Int64) {
        self.size = size
        function = .current
    }

    /// The trusted content of a journal on disk.
    init(durable: JournalRecord?, unsynced: JournalRecord?) {
        size = (durable ?? unsynced)?.blockSize ?? BlockHasher.blockSize(total: nil)
        function = (durable ?? unsynced)?.blockHashFunction ?? .current
        hashes = [durable, unsynced].compactMap { $0 }.filter { [function] in $0.blockHashFunction == function }
            .reduce(into: [:]) { $0.merge($1.blockHashes) { first, _ in first } }
        arrivals = hashes.keys.sorted()
        recent = unsynced?.recentBlocks ?? durable?.recentBlocks ?? []
        forgetOldest()
    }

    mutating func note(_ hashed: [(index: Int64, hash: UInt64)]) {
        for block in hashed {
            if hashes.updateValue(block.hash, forKey: block.index) == nil { arrivals.append(block.index) }
            fresh.append(block.index)
        }
        forgetOldest()
    }

    private mutating func forgetOldest() {
        while arrivals.count > Self.maximumCount {
            for index in arrivals.prefix(Self.batch) { hashes[index] = nil }
            arrivals.removeFirst(Self.batch)
        }
        if fresh.count > Self.maximumCount { fresh.removeFirst(fresh.count - Self.maximumCount + Self.batch) }
    }

    /// Forgets the hashes of blocks that overlap one of the ranges.
    mutating func forget(in ranges: [ByteRange]) {
        let size = size
        let isKept = { (index: Int64) in
            guard let block = BlockHasher.range(ofBlock: index, blockSize: size, total: nil) else { return false }
            return !ranges.contains { $0.overlaps(block) }
        }
        arrivals.removeAll { !isKept($0) }
        hashes = hashes.filter { isKept($0.key) }
    }

    /// A durable record has been written.
    mutating func beginGeneration() {
        recent = fresh
        fresh = []
    }

    /// Returns the hashes of blocks within the ranges that a record claims.
    func claimed(_ ranges: RangeSet, of total: Int64?) -> JournalBlocks {
        var claimed = self
        claimed.hashes = hashes.filter { index, _ in
            BlockHasher.range(ofBlock: index, blockSize: size, total: total).map(ranges.contains) ?? false
        }
        return claimed
    }
}
