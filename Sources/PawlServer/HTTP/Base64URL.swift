import PawlCore

/// Base64 without padding that needs no escape in a URL (RFC 4648 §5).
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        let plain = Base64.encode(bytes).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    package static func decode(_ text: String) -> [UInt8]? {
        var bytes = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Base64.decode(bytes)
    }
}
