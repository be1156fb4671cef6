import CPawlHash

/// XXH3 with 64 bits, seed 0 and the default secret (xxHash specification, Yann Collet, version 0.2), streaming.
///
/// Like ``XXHash64`` it guards against faults, not against people. It takes a fourth of the time: the loop over long
/// inputs is in C, which can be compiled for AVX2 as well.
package struct XXHash3: Sendable {
    private typealias Pair = SIMD2<UInt64>

    private static let shortPrime1: UInt64 = 0x9E37_79B1
    private static let shortPrime2: UInt64 = 0x85EB_CA77
    private static let shortPrime3: UInt64 = 0xC2B2_AE3D

    private static let stripe = 64
    /// Short inputs are hashed otherwise, and all at once.
    private static let longestShort = 240
    private static let bufferSize = 256

    private var lanes = [
        shortPrime3, XXHash64.prime1, XXHash64.prime2, XXHash64.prime3, XXHash64.prime4, shortPrime2, XXHash64.prime5,
        shortPrime1,
    ]
    /// The number of stripes mixed into the lanes since these were scrambled.
    private var stripeCount = 0
    private var length: UInt64 = 0
    /// The input that is not mixed in yet. The last stripe is treated in its own way, so unless nothing was received at
    /// all, this is never empty.
    private var tail: [UInt8] = []
    /// The stripe before `tail`, once there is one.
    private var last: [UInt8] = []

    package init() {
        tail.reserveCapacity(Self.bufferSize)
    }

    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = XXHash3()
        hash.update(bytes)
        return hash.value
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        guard tail.count + bytes.count > Self.bufferSize else { return tail.append(contentsOf: bytes) }
        var rest = bytes[...]
        if !tail.isEmpty {
            let missing = Self.bufferSize - tail.count
            tail.append(contentsOf: rest.prefix(missing))
            rest = rest.dropFirst(missing)
            let whole = tail
            whole.withUnsafeBytes { consume($0) }
            tail.removeAll(keepingCapacity: true)
        }
        let stripes = UnsafeRawBufferPointer(rebasing: rest.prefix((rest.count - 1) / Self.stripe * Self.stripe))
        if !stripes.isEmpty { consume(stripes) }
        tail.append(contentsOf: rest.dropFirst(stripes.count))
    }

    /// `bytes` is a whole number of stripes, and at least one.
    private mutating func consume(_ bytes: UnsafeRawBufferPointer) {
        last.replaceSubrange(0..., with: bytes.suffix(Self.stripe))
        Self.mix(&lanes, &stripeCount, bytes)
    }

    package var value: UInt64 {
        guard length > Self.longestShort else { return tail.withUnsafeBytes(Self.short) }
        var (lanes, stripeCount) = (lanes, stripeCount)
        tail.withUnsafeBytes { tail in
            let whole = (tail.count - 1) / Self.stripe * Self.stripe
            Self.mix(&lanes, &stripeCount, UnsafeRawBufferPointer(rebasing: tail.prefix(whole)))
        }
        (last.suffix(max(Self.stripe - tail.count, 0)) + tail.suffix(Self.stripe)).withUnsafeBytes { stripe in
            // The first of a block, so that nothing is scrambled after it.
            var stripeCount = 0
            Self.mix(&lanes, &stripeCount, stripe, at: Self.secret.count - Self.stripe - 7)
        }
        return Self.withSecret { secret in
            var sum = length &* XXHash64.prime1
            for index in 0..<4 {
                let key = Self.load(secret, 11 + 16 * index)
                sum &+= Self.folded(lanes[2 * index] ^ key.x, lanes[2 * index + 1] ^ key.y)
            }
            return Self.avalanche(sum)
        }
    }

    // MARK: Long inputs

    /// - Parameter offset: of the key within the secret.
    private static func mix(
        _ lanes: inout [UInt64], _ stripeCount: inout Int, _ bytes: UnsafeRawBufferPointer, at offset: Int = 0
    ) {
        withSecret { secret in
            guard let key = secret.baseAddress?.advanced(by: offset) else { return }
            pawl_xxh3_mix(
                &lanes, &stripeCount, bytes.baseAddress, bytes.count / stripe, key, secret.count - offset)
        }
    }

    // MARK: Short inputs

    /// Hashes an input of at most ``longestShort`` bytes.
    private static func short(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        withSecret { secret in
            let count = bytes.count
            let key = { (offset: Int) in load64(secret, offset) ^ load64(secret, offset + 8) }
            switch count {
            case 0: return XXHash64.avalanche(key(56))
            case 1...3:
                let (first, middle, last) = (UInt32(bytes[0]), UInt32(bytes[count >> 1]), UInt32(bytes[count - 1]))
                let word = first << 16 | middle << 24 | last | UInt32(count) << 8
                return XXHash64.avalanche(UInt64(word ^ load32(secret, 0) ^ load32(secret, 4)))
            case 4...8:
                let word = UInt64(load32(bytes, count - 4)) &+ UInt64(load32(bytes, 0)) << 32
                var hash = word ^ key(8)
                hash ^= rotate(hash, 49) ^ rotate(hash, 24)
                hash = hash &* 0x9FB2_1C65_1E98_DF25
                hash ^= (hash >> 35) &+ UInt64(count)
                hash = hash &* 0x9FB2_1C65_1E98_DF25
                return hash ^ hash >> 28
            case 9...16:
                let (low, high) = (load64(bytes, 0) ^ key(24), load64(bytes, count - 8) ^ key(40))
                return avalanche(UInt64(count) &+ low.byteSwapped &+ high &+ folded(low, high))
            case 17...128:
                var sum = UInt64(count) &* XXHash64.prime1
                // From the middle outwards, in pairs from both ends.
                for step in (0...(count - 1) / 32).reversed() {
                    sum &+= mixed16(bytes, 16 * step, secret, 32 * step)
                    sum &+= mixed16(bytes, count - 16 * (step + 1), secret, 32 * step + 16)
                }
                return avalanche(sum)
            default:
                var sum = UInt64(count) &* XXHash64.prime1
                for step in 0..<8 { sum &+= mixed16(bytes, 16 * step, secret, 16 * step) }
                sum = avalanche(sum)
                for step in 8..<count / 16 { sum &+= mixed16(bytes, 16 * step, secret, 16 * (step - 8) + 3) }
                return avalanche(sum &+ mixed16(bytes, count - 16, secret, 136 - 17))
            }
        }
    }

    private static func mixed16(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ secret: UnsafeRawBufferPointer, _ key: Int
    ) -> UInt64 {
        let (input, key) = (load(bytes, offset), load(secret, key))
        return folded(input.x ^ key.x, input.y ^ key.y)
    }

    // MARK: Arithmetic

    private static func folded(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.low ^ product.high
    }

    private static func avalanche(_ hash: UInt64) -> UInt64 {
        let mixed = (hash ^ hash >> 37) &* 0x1656_6791_9E37_79F9
        return mixed ^ mixed >> 32
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

    @inline(__always)
    private static func load(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Pair {
        let pair = bytes.loadUnaligned(fromByteOffset: offset, as: Pair.self)
        return Pair(UInt64(littleEndian: pair.x), UInt64(littleEndian: pair.y))
    }

    private static func load64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func load32(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private static func withSecret<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        secret.withUnsafeBytes(body)
    }

    private static let secret: [UInt8] = [
        0xB8, 0xFE, 0x6C, 0x39, 0x23, 0xA4, 0x4B, 0xBE, 0x7C, 0x01, 0x81, 0x2C, 0xF7, 0x21, 0xAD, 0x1C,
        0xDE, 0xD4, 0x6D, 0xE9, 0x83, 0x90, 0x97, 0xDB, 0x72, 0x40, 0xA4, 0xA4, 0xB7, 0xB3, 0x67, 0x1F,
        0xCB, 0x79, 0xE6, 0x4E, 0xCC, 0xC0, 0xE5, 0x78, 0x82, 0x5A, 0xD0, 0x7D, 0xCC, 0xFF, 0x72, 0x21,
        0xB8, 0x08, 0x46, 0x74, 0xF7, 0x43, 0x24, 0x8E, 0xE0, 0x35, 0x90, 0xE6, 0x81, 0x3A, 0x26, 0x4C,
        0x3C, 0x28, 0x52, 0xBB, 0x91, 0xC3, 0x00, 0xCB, 0x88, 0xD0, 0x65, 0x8B, 0x1B, 0x53, 0x2E, 0xA3,
        0x71, 0x64, 0x48, 0x97, 0xA2, 0x0D, 0xF9, 0x4E, 0x38, 0x19, 0xEF, 0x46, 0xA9, 0xDE, 0xAC, 0xD8,
        0xA8, 0xFA, 0x76, 0x3F, 0xE3, 0x9C, 0x34, 0x3F, 0xF9, 0xDC, 0xBB, 0xC7, 0xC7, 0x0B, 0x4F, 0x1D,
        0x8A, 0x51, 0xE0, 0x4B, 0xCD, 0xB4, 0x59, 0x31, 0xC8, 0x9F, 0x7E, 0xC9, 0xD9, 0x78, 0x73, 0x64,
        0xEA, 0xC5, 0xAC, 0x83, 0x34, 0xD3, 0xEB, 0xC3, 0xC5, 0x81, 0xA0, 0xFF, 0xFA, 0x13, 0x63, 0xEB,
        0x17, 0x0D, 0xDD, 0x51, 0xB7, 0xF0, 0xDA, 0x49, 0xD3, 0x16, 0x55, 0x26, 0x29, 0xD4, 0x68, 0x9E,
        0x2B, 0x16, 0xBE, 0x58, 0x7D, 0x47, 0xA1, 0xFC, 0x8F, 0xF8, 0xB8, 0xD1, 0x7A, 0xD0, 0x31, 0xCE,
        0x45, 0xCB, 0x3A, 0x8F, 0x95, 0x16, 0x04, 0x28, 0xAF, 0xD7, 0xFB, 0xCA, 0xBB, 0x4B, 0x40, 0x7E,
    ]
}
