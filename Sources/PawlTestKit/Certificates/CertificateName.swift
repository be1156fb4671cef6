/// One name of a certificate (RFC 5280 §4.2.1.6), byte for byte, including names that no authority should sign.
package enum CertificateName: Hashable, Sendable {
    case dns([UInt8])
    case address([UInt8])
    case mail(String)

    package static func dns(_ text: String) -> CertificateName { .dns(Array(text.utf8)) }

    /// The `GeneralName` in DER.
    private var encoded: [UInt8] {
        switch self {
        case .mail(let text): DER.item(0x81, Array(text.utf8))
        case .dns(let bytes): DER.item(0x82, bytes)
        case .address(let bytes): DER.item(0x87, bytes)
        }
    }

    /// The `GeneralNames` of all `names` in DER, as the hexadecimal digits that `openssl` takes.
    static func hex(_ names: [CertificateName]) -> String {
        DER.item(0x30, names.flatMap(\.encoded)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

private enum DER {
    static func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        // Lengths beyond two bytes do not occur in test certificates.
        precondition(content.count < 0x1_0000)
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [UInt8(content.count)]
            case ..<0x100: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            }
        return [tag] + length + content
    }
}
