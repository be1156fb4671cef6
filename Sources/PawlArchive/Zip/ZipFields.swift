/// Reads the fields of a zip record one after the other. All are little-endian (APPNOTE 4.4.1.1). Beyond the end there
/// are only zeros, and `fits` says so: a record is read first and believed when all of it was there.
struct ZipFields {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private(set) var fits = true

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// The number of bytes left.
    var count: Int { bytes.endIndex - index }
    var rest: ArraySlice<UInt8> { bytes[index...] }

    mutating func u8() -> UInt8 { UInt8(truncatingIfNeeded: number(1)) }
    mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: number(2)) }
    mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: number(4)) }
    mutating func u64() -> UInt64 { number(8) }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        guard count <= self.count else {
            end()
            return []
        }
        defer { index += count }
        return bytes[index..<index + count]
    }

    mutating func skip(_ count: Int) {
        if count <= self.count { index += count } else { end() }
    }

    private mutating func end() {
        fits = false
        index = bytes.endIndex
    }

    private mutating func number(_ count: Int) -> UInt64 {
        guard count <= self.count else {
            end()
            return 0
        }
        var value: UInt64 = 0
        var place = index + count
        // The highest byte first, so that each shift makes room for the next.
        while place > index {
            place -= 1
            value = value << 8 | UInt64(bytes[place])
        }
        index += count
        return value
    }
}

extension ArraySlice<UInt8> {
    /// Whether the four bytes of a record's signature stand here.
    func isSignature(_ signature: UInt32, at index: Int) -> Bool {
        guard index >= startIndex, index <= endIndex - 4 else { return false }
        return self[index] == UInt8(truncatingIfNeeded: signature)
            && self[index + 1] == UInt8(truncatingIfNeeded: signature >> 8)
            && self[index + 2] == UInt8(truncatingIfNeeded: signature >> 16)
            && self[index + 3] == UInt8(truncatingIfNeeded: signature >> 24)
    }
}

/// The signatures at the beginning of the records (APPNOTE 4.3).
enum ZipSignature {
    static let localHeader: UInt32 = 0x0403_4B50
    static let dataDescriptor: UInt32 = 0x0807_4B50
    static let directoryEntry: UInt32 = 0x0201_4B50
    static let digitalSignature: UInt32 = 0x0505_4B50
    static let zip64End: UInt32 = 0x0606_4B50
    static let zip64Locator: UInt32 = 0x0706_4B50
    static let end: UInt32 = 0x0605_4B50
}
