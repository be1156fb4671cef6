extension HTTPURL {
    /// Takes apart a URL in which every character stands for itself, as most of a long list do: `http` or `https`,
    /// a host of lower-case letters, digits and single dots and hyphens between them, perhaps a port, and a path of
    /// unreserved characters (RFC 3986 §2.3) without a segment that begins with a dot. Nil for any other.
    ///
    /// Returns what the parser of any URL returns, for a tenth of the instructions.
    init?(plain text: String) {
        var text = text
        guard let plain = text.withUTF8({ Self.plain($0) }) else { return nil }
        self = plain
    }

    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPURL? {
        guard bytes.count <= lengthLimit / 2, let (scheme, start) = plainScheme(bytes) else { return nil }
        let hostEnd = bytes[start...].firstIndex { !isHostByte($0) } ?? bytes.endIndex
        guard isPlainHost(bytes[start..<hostEnd]), let (port, portEnd) = plainPort(bytes, at: hostEnd),
            isPlainPath(bytes[portEnd...])
        else { return nil }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        return HTTPURL(
            scheme: scheme, userinfo: nil, host: text(start..<hostEnd), port: port == scheme.defaultPort ? nil : port,
            path: portEnd == bytes.endIndex ? "/" : text(portEnd..<bytes.endIndex), query: nil)
    }

    private static func plainScheme(_ bytes: UnsafeBufferPointer<UInt8>) -> (Scheme, end: Int)? {
        if bytes.starts(with: "http://".utf8) { return (.http, 7) }
        return bytes.starts(with: "https://".utf8) ? (.https, 8) : nil
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isLowerAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    private static func isLowerAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func isPlainHost(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        // RFC 1035 §2.3.4.
        guard bytes.count <= 253 else { return false }
        var (isAfterLetter, label) = (false, 0)
        for byte in bytes {
            let isLetter = isLowerAlphanumeric(byte)
            if !isLetter, !isAfterLetter { return false }
            isAfterLetter = isLetter
            label = byte == UInt8(ascii: ".") ? 0 : label + 1
            if label > 63 { return false }
        }
        return isAfterLetter
    }

    /// The port, nil where there is none, and where the path begins.
    private static func plainPort(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> (port: Int?, end: Int)? {
        guard start < bytes.endIndex, bytes[start] == UInt8(ascii: ":") else { return (nil, start) }
        let digits = bytes[(start + 1)...].prefix { ASCII.isDigit($0) }
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return port <= UInt16.max ? (port, digits.endIndex) : nil
    }

    private static func isPlainPath(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = bytes.first else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        var isAfterSlash = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."): if isAfterSlash { return false }
            case UInt8(ascii: "/"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            default: return false
            }
            isAfterSlash = byte == UInt8(ascii: "/")
        }
        return true
    }
}
