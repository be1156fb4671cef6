/// XXH64 with seed 0 (xxHash specification, Yann Collet, version 0.1.1), streaming.
///
/// It guards against faults, not against people: torn journal slots, and blocks that a disk or memory changed after
/// receipt. It is here because it runs at memory speed, which a cryptographic digest does not.
package struct XXHash64: Sendable {
    static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
    private static let stripe = 32

    private var lane1 = prime1 &+ prime2
    private var lane2 = prime2
    private var lane3: UInt64 = 0
    private var lane4: UInt64 = 0 &- prime1
    private var length: UInt64 = 0
    /// The bytes after the last whole stripe.
    private var tail: [UInt8] = []

    package init() {
        tail.reserveCapacity(Self.stripe)
    }

    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = XXHash64()
        hash.update(bytes)
        return hash.value
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes[...]
        if !tail.isEmpty {
            let missing = Swift.min(Self.stripe - tail.count, rest.count)
            tail.append(contentsOf: rest.prefix(missing))
            rest = rest.dropFirst(missing)
            guard tail.count == Self.stripe else { return }
            let whole = tail
            whole.withUnsafeBytes { consume($0) }
            tail.removeAll(keepingCapacity: true)
        }
        let stripes = rest.count / Self.stripe * Self.stripe
        if stripes > 0 { consume(UnsafeRawBufferPointer(rebasing: rest.prefix(stripes))) }
        tail.append(contentsOf: rest.dropFirst(stripes))
    }

    /// `bytes` is a whole number of stripes.
    private mutating func consume(_ bytes: UnsafeRawBufferPointer) {
        var (one, two, three, four) = (lane1, lane2, lane3, lane4)
        var offset = 0
        while offset < bytes.count {
            one = Self.round(one, Self.load64(bytes, offset))
            two = Self.round(two, Self.load64(bytes, offset + 8))
            three = Self.round(three, Self.load64(bytes, offset + 16))
            four = Self.round(four, Self.load64(bytes, offset + 24))
            offset += Self.stripe
        }
        (lane1, lane2, lane3, lane4) = (one, two, three, four)
    }

    package var value: UInt64 {
        var hash: UInt64
        if length >= UInt64(Self.stripe) {
            hash =
                Self.rotate(lane1, 1) &+ Self.rotate(lane2, 7) &+ Self.rotate(lane3, 12) &+ Self.rotate(lane4, 18)
            for lane in [lane1, lane2, lane3, lane4] {
                hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        } else {
            hash = Self.prime5
        }
        hash = hash &+ length
        tail.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                hash = Self.rotate(hash ^ Self.round(0, Self.load64(bytes, offset)), 27) &* Self.prime1 &+ Self.prime4
                offset += 8
            }
            if offset + 4 <= bytes.count {
                let word = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                hash = Self.rotate(hash ^ (word &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
                offset += 4
            }
            while offset < bytes.count {
                hash = Self.rotate(hash ^ (UInt64(bytes[offset]) &* Self.prime5), 11) &* Self.prime1
                offset += 1
            }
        }
        return Self.avalanche(hash)
    }

    static func avalanche(_ hash: UInt64) -> UInt64 {
        var hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    @inline(__always)
    private static func load64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ (input &* prime2), 31) &* prime1
    }
}
