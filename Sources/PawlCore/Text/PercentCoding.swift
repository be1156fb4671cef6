/// Percent-encoding of RFC 3986 §2.1.
package enum PercentCoding {
    /// Encodes each byte that `isLegal` refuses.
    ///
    /// An escape that is already there stays as it is; a `%` that begins none becomes `%25`, so that the result is well
    /// formed.
    package static func encode(_ bytes: ArraySlice<UInt8>, keeping isLegal: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            let isKept = byte == UInt8(ascii: "%") ? escapedByte(in: bytes, at: index) != nil : isLegal(byte)
            if isKept {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(hexDigits[Int(byte >> 4)])
                encoded.append(hexDigits[Int(byte & 0x0F)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes every well-formed escape and leaves all else as it is.
    package static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        decode(bytes, onMalformed: { UInt8(ascii: "%") }) ?? []
    }

    /// Decodes percent-encoding; nil if a `%` is not followed by two hexadecimal digits.
    package static func decodeStrictly(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
        decode(bytes, onMalformed: { nil })
    }

    /// The byte written by the escape that begins at `index`; nil when none does.
    package static func escapedByte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes.endIndex - index > 2, bytes[index] == UInt8(ascii: "%"),
            let high = ASCII.hexValue(bytes[index + 1]), let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func decode(_ source: some Sequence<UInt8>, onMalformed: () -> UInt8?) -> [UInt8]? {
        let bytes = Array(source)[...]
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] != UInt8(ascii: "%") {
                decoded.append(bytes[index])
                index += 1
            } else if let byte = escapedByte(in: bytes, at: index) {
                decoded.append(byte)
                index += 3
            } else {
                guard let substitute = onMalformed() else { return nil }
                decoded.append(substitute)
                index += 1
            }
        }
        return decoded
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
