import PawlCore
import Testing

@Suite struct BlockHasherTests {
    @Test(
        arguments: [
            (nil, 1 << 20), (0, 1 << 20), (1, 1 << 20), (1 << 20, 1 << 20), ((1 << 31) - 1, 1 << 20),
            (1 << 31, 1 << 20),
            ((1 << 31) + 1, 1 << 21), (1 << 32, 1 << 21), ((1 << 32) + 1, 1 << 22), (1 << 40, 1 << 29),
            (Int64.max, 1 << 52),
        ] as [(Int64?, Int64)])
    func `the block size is the smallest power of two, at least 1 MiB, that needs at most 2048 blocks`(
        _ total: Int64?, _ expected: Int64
    ) {
        #expect(BlockHasher.blockSize(total: total) == expected)
    }

    @Test(arguments: 0..<20)
    func `each whole block gets the hash of its bytes, however the bytes arrive`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let blockSize = Int64.random(in: 1...50, using: &random)
        let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let total = Int64(bytes.count)
        let start = Int.random(in: 0...bytes.count, using: &random)
        var hasher = BlockHasher(blockSize: blockSize, total: total, position: Int64(start))
        var found: [Int64: UInt64] = [:]
        var position = start
        while position < bytes.count {
            let end = min(bytes.count, position + Int.random(in: 0...120, using: &random))
            for block in bytes[position..<end].withUnsafeBytes({ hasher.update($0) }) {
                found[block.index] = block.hash
            }
            position = end
        }
        var expected: [Int64: UInt64] = [:]
        for first in stride(from: 0, to: total, by: Int(blockSize)) where first >= Int64(start) {
            let block = bytes[Int(first)..<Int(min(first + blockSize, total))]
            expected[first / blockSize] = block.withUnsafeBytes(XXHash3.hash)
        }
        #expect(found == expected)
    }

    @Test func `a block whose first byte was missed has no hash`() {
        let bytes = [UInt8](repeating: 9, count: 25)
        var hasher = BlockHasher(blockSize: 10, total: 30, position: 5)
        #expect(bytes.withUnsafeBytes { hasher.update($0) }.map(\.index) == [1, 2])
    }

    @Test func `without a total, a shorter last block has no hash`() {
        let bytes = [UInt8](repeating: 9, count: 25)
        var hasher = BlockHasher(blockSize: 10, total: nil, position: 0)
        #expect(bytes.withUnsafeBytes { hasher.update($0) }.map(\.index) == [0, 1])
    }
}
