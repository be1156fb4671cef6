/// Reads the fields of a zip record one after the other. All are little-endian (APPNOTE 4.4.1.1). Beyond the end there are only zeros, and
/// `fits` says so: a record is read first and believed when all of it was there.
struct ZipFields {
    private(set) var rest: ArraySlice<UInt8>
    private(set) var fits = true

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func u8() -> UInt8 {
        guard let byte = rest.popFirst() else {
            fits = false
            return 0
        }
        return byte
    }

    mutating func u16() -> UInt16 { number(2) }
    mutating func u32() -> UInt32 { number(4) }
    mutating func u64() -> UInt64 { number(8) }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        guard count <= rest.count else {
            fits = false
            rest = []
            return []
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func number<Number: FixedWidthInteger>(_ count: Int) -> Number {
        var value: Number = 0
        // The highest byte first, so that each shift makes room for the next.
        for byte in bytes(count).reversed() { value = value << 8 | Number(truncatingIfNeeded: byte) }
        return value
    }
}

extension ArraySlice<UInt8> {
    /// Whether the four bytes of a record's signature stand here.
    func isSignature(_ signature: UInt32, at index: Int) -> Bool {
        guard index >= startIndex, index <= endIndex - 4 else { return false }
        return self[index] == UInt8(truncatingIfNeeded: signature) && self[index + 1] == UInt8(truncatingIfNeeded: signature >> 8)
            && self[index + 2] == UInt8(truncatingIfNeeded: signature >> 16) && self[index + 3] == UInt8(truncatingIfNeeded: signature >> 24)
    }
}

/// How the records begin (APPNOTE 4.3).
enum ZipSignature {
    static let localHeader: UInt32 = 0x0403_4B50
    static let dataDescriptor: UInt32 = 0x0807_4B50
    static let archiveExtraData: UInt32 = 0x0806_4B50
    static let directoryEntry: UInt32 = 0x0201_4B50
    static let digitalSignature: UInt32 = 0x0505_4B50
    static let zip64End: UInt32 = 0x0606_4B50
    static let zip64Locator: UInt32 = 0x0706_4B50
    static let end: UInt32 = 0x0605_4B50
}
