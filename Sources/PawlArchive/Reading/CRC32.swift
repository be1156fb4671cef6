/// The checksum of gzip and zip (RFC 1952 §8), sixteen bytes at a time.
struct CRC32: Hashable, Sendable {
    private(set) var value: UInt32 = 0

    /// The sixteen tables of 256 values: the n-th is for a byte that n others follow.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 16 * 256)
        for byte in 0..<256 {
            tables[byte] = (0..<8).reduce(UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        for index in 256..<16 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = ~value
        Self.tables.withUnsafeBufferPointer { tables in
            var start = 0
            while bytes.count - start >= 16 {
                let first =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)) ^ UInt64(crc)
                let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
                crc = Self.lookUp(first, 15, tables) ^ Self.lookUp(second, 7, tables)
                start += 16
            }
            for byte in bytes[start...] { crc = crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
        }
        value = ~crc
    }

    /// Looks up eight bytes, of which the first is followed by `following` others.
    @inline(__always)
    private static func lookUp(_ word: UInt64, _ following: Int, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        @inline(__always)
        func at(_ place: Int) -> UInt32 {
            // Proven: a table's number is at most 15, and a byte at most 255.
            tables[(following - place) << 8 | Int(UInt8(truncatingIfNeeded: word >> (UInt64(place) << 3)))]
        }
        return at(0) ^ at(1) ^ at(2) ^ at(3) ^ at(4) ^ at(5) ^ at(6) ^ at(7)
    }
}
