/// Base64 with the standard alphabet (RFC 4648 §4).
package enum Base64 {
    /// Strict about the alphabet: no line breaks, no URL-safe variant. Padding may be missing, and the unused bits of
    /// the last character may be set, as RFC 8941 §4.2.7 asks of parsers; padding that is there must be right.
    package static func decode(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        let digits = bytes.prefix { $0 != UInt8(ascii: "=") }
        let padding = bytes.dropFirst(digits.count)
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), digits.count % 4 != 1 else { return nil }
        guard padding.isEmpty || (padding.count <= 2 && (digits.count + padding.count) % 4 == 0) else { return nil }

        var decoded: [UInt8] = []
        decoded.reserveCapacity(digits.count / 4 * 3 + 2)
        var accumulator: UInt32 = 0
        var bitCount = 0
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            accumulator = (accumulator << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                decoded.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bitCount)))
            }
        }
        return decoded
    }

    package static func isAlphabetByte(_ byte: UInt8) -> Bool { value(of: byte) != nil }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
