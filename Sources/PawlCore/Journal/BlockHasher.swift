/// The hash function for the blocks of a file. The raw value is stored in the journal.
package enum BlockHashFunction: UInt8, Hashable, Sendable, CaseIterable {
    /// The function of journals before version 3, for as long as they last.
    case xxh64 = 0
    case xxh3 = 1

    /// The function for new files.
    package static let current = xxh3
}

/// The hash of one block, streaming.
package struct BlockHash: Sendable {
    // One of the two. As cases of an enumeration they would be copied to be changed.
    private var xxh64: XXHash64?
    private var xxh3: XXHash3?

    package init(_ function: BlockHashFunction) {
        switch function {
        case .xxh64: xxh64 = XXHash64()
        case .xxh3: xxh3 = XXHash3()
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        xxh64?.update(bytes)
        xxh3?.update(bytes)
    }

    package var value: UInt64 { xxh64?.value ?? xxh3?.value ?? 0 }
}

/// Hashes fixed blocks of a file as their bytes arrive in order.
///
/// A block whose first byte this hasher did not see is passed over: a hash must be of what was received, never of what
/// was read back.
package struct BlockHasher: Sendable {
    package static let smallestBlock: Int64 = 1 << 20
    /// Bounds the journal: see `docs/journal-format.md`.
    package static let maximumBlocks: Int64 = 2048

    package let blockSize: Int64
    /// Ends the last, shorter block; nil while unknown, and then the last block has no hash.
    private let total: Int64?
    private var position: Int64
    private let function: BlockHashFunction
    private var current: BlockHash?

    package init(blockSize: Int64, total: Int64?, position: Int64, _ function: BlockHashFunction = .current) {
        self.blockSize = blockSize
        self.function = function
        self.total = total
        self.position = position
        current = position % blockSize == 0 ? BlockHash(function) : nil
    }

    /// The smallest power of two of at least 1 MiB that needs no more than 2048 blocks.
    package static func blockSize(total: Int64?) -> Int64 {
        var size = smallestBlock
        while let total, (total - 1) / size >= maximumBlocks, size < 1 << 52 { size <<= 1 }
        return size
    }

    /// Returns the range of a block; nil for one that lies past the end, or past what positions can count.
    package static func range(ofBlock index: Int64, blockSize: Int64, total: Int64?) -> ByteRange? {
        let (start, overflow) = index.multipliedReportingOverflow(by: blockSize)
        let (end, isBeyond) = start.addingReportingOverflow(blockSize)
        guard !overflow else { return nil }
        return ByteRange(start: start, end: min(isBeyond ? .max : end, total ?? .max))
    }

    /// Takes the bytes at the hasher's position; returns the blocks they completed.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) -> [(index: Int64, hash: UInt64)] {
        var finished: [(Int64, UInt64)] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let index = position / blockSize
            // Where the last block there can be would end past the last position there can be, it ends there.
            let (end, isBeyond) = position.addingReportingOverflow(blockSize - position % blockSize)
            let blockEnd = min(isBeyond ? .max : end, total ?? .max)
            let count = Int(min(Int64(rest.count), max(blockEnd - position, 1)))
            current?.update(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            position += Int64(count)
            guard position == blockEnd else { continue }
            // A journal counts blocks in 32 bits.
            if let hash = current?.value, index <= Int64(UInt32.max) { finished.append((index, hash)) }
            current = BlockHash(function)
        }
        return finished
    }
}
