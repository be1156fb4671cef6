extension IPAddress {
    /// The IANA registries of special-purpose addresses (RFC 6890) do not take it from those that the whole internet
    /// reaches. An address that leads to an IPv4 address is what that is.
    package var isPublic: Bool {
        guard isIPv6 else { return !Self.specialIPv4.contains(where: isWithin) }
        if let inner { return inner.isPublic }
        return Self.globalIPv6.contains(where: isWithin) && !Self.specialIPv6.contains(where: isWithin)
    }

    /// Mapped (RFC 4291 §2.5.5.2), translated (RFC 6052) and 6to4 (RFC 3056).
    private var inner: IPAddress? {
        if Self.translated.contains(where: isWithin) { return IPAddress(bytes: Array(bytes[12...])) }
        return Self.sixToFour.contains(where: isWithin) ? IPAddress(bytes: Array(bytes[2..<6])) : nil
    }

    private func isWithin(_ network: Network) -> Bool { isWithin(network.address, prefixLength: network.length) }

    private struct Network: Sendable {
        let address: IPAddress
        let length: Int
    }

    private static func networks(_ texts: [String]) -> [Network] {
        texts.compactMap { text in
            let parts = text.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: Array($0), as: UTF8.self) }
            return IPAddress(parts[0]).flatMap { address in Int(parts[1]).map { Network(address: address, length: $0) }
            }
        }
    }

    private static let translated = networks(["::ffff:0:0/96", "64:ff9b::/96"])
    private static let sixToFour = networks(["2002::/16"])
    private static let globalIPv6 = networks(["2000::/3"])
    private static let specialIPv6 = networks(["2001::/23", "2001:db8::/32", "3fff::/20"])
    private static let specialIPv4 = networks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
        "240.0.0.0/4",
    ])
}
