/// An IPv4 or IPv6 address as text writes it, for rules about addresses. Nothing is ever looked up for it.
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16 of them, in network order.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    package var isIPv6: Bool { bytes.count == 16 }

    /// Takes dotted decimal of four parts without leading zeros, or the forms of RFC 4291 §2.2 without brackets and
    /// without a zone.
    package init?(_ text: some StringProtocol) {
        let text = Array(text.utf8)[...]
        guard let bytes = text.contains(UInt8(ascii: ":")) ? Self.groups(text) : Self.dotted(text) else { return nil }
        self.bytes = bytes
    }

    /// The first `prefixLength` bits are those of `network`. An address of the other family is never within.
    package func isWithin(_ network: IPAddress, prefixLength: Int) -> Bool {
        guard bytes.count == network.bytes.count, (0...bytes.count * 8).contains(prefixLength) else { return false }
        let whole = prefixLength / 8
        guard bytes.prefix(whole) == network.bytes.prefix(whole) else { return false }
        let rest = prefixLength % 8
        return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> UInt8(8 - rest) == 0
    }

    private static func dotted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            // Some read a leading zero as octal, others do not.
            guard part.count <= 3, part.count == 1 || part.first != UInt8(ascii: "0"),
                case .value(let value) = ASCII.decimal(part),
                value <= 255
            else { return nil }
            bytes.append(UInt8(value))
        }
        return bytes
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            guard let bytes = run(text, mayEndInIPv4: true), bytes.count == 16 else { return nil }
            return bytes
        }
        guard let before = run(text[..<gap], mayEndInIPv4: false),
            let after = run(text[(gap + 2)...], mayEndInIPv4: true),
            before.count + after.count <= 14
        else { return nil }
        return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
    }

    /// 16-bit groups between colons; the empty text has none of them.
    private static func run(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt8]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let four = dotted(part) else { return nil }
                bytes += four
            } else {
                guard (1...4).contains(part.count) else { return nil }
                var value: UInt16 = 0
                for digit in part {
                    guard let digit = ASCII.hexValue(digit) else { return nil }
                    value = value << 4 | UInt16(digit)
                }
                bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
            }
        }
        return bytes
    }
}
