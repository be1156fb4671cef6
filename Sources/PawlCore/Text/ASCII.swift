/// Character classes of the HTTP and URI grammars, by byte, and the numbers written in them.
package enum ASCII {
    package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    package static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    package static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || isLowercase(byte) }

    package static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// A to Z in lower case, and every other byte as it is: Unicode's lower case can turn a letter outside ASCII into
    /// one within.
    package static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }

    package static func lowercased(_ text: Substring.UTF8View) -> String {
        String(decoding: text.map(lowercased), as: UTF8.self)
    }

    /// SP or HTAB, the bytes of OWS (RFC 9110 §5.6.3).
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// `tchar` of RFC 9110 §5.6.2: letters, digits, and fifteen marks.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: isAlphanumeric(byte)
        }
    }

    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// `bytes` without SP and HTAB at either end: OWS around a field value is not part of it (RFC 9110 §5.5).
    package static func trimmingBlanks<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes
    where Bytes.SubSequence == Bytes {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else {
            return bytes[bytes.endIndex...]
        }
        return bytes[first...last]
    }

    /// The result of reading bytes as `1*DIGIT`.
    package enum Decimal: Equatable, Sendable {
        case value(Int64)
        /// Digits only, but more than `Int64.max`.
        case overflow
        case notDecimal
    }

    /// Reads `1*DIGIT`: no sign, no blank, nothing else. RFC 9110 §14.1.2 and §8.6 demand that overflow be prevented,
    /// not wrapped.
    package static func decimal(_ bytes: ArraySlice<UInt8>) -> Decimal {
        guard !bytes.isEmpty, bytes.allSatisfy(isDigit) else { return .notDecimal }
        var value: Int64 = 0
        for byte in bytes {
            let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(Int64(byte - 0x30))
            if productOverflow || sumOverflow { return .overflow }
            value = sum
        }
        return .value(value)
    }
}
