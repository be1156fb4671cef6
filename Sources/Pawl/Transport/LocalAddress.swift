internal import NIOCore
internal import PawlCore

/// The local address that connections are made from, if the user has chosen one.
enum LocalAddress {
    /// An address of this machine, or the first that a network interface of this name has in the family that is
    /// allowed. Its port is 0: the system picks one.
    static func parse(_ text: String, family: AddressFamily) throws(TransportError) -> SocketAddress {
        if let address = try? SocketAddress(ipAddress: text, port: 0) {
            if family.allows(address) { return address }
            throw TransportError(.other, "the address to bind to, \(text), \(family.exclusion)")
        }
        let devices = (try? System.enumerateDevices()) ?? []
        let addresses = devices.filter { $0.name == text }.compactMap(\.address)
        guard !addresses.isEmpty else {
            throw TransportError(.other, "“\(text)” is neither an IP address nor a network interface that has one")
        }
        // IPv4 first: of IPv6 an interface always has one that reaches no farther than its own link.
        let usable = addresses.filter { family.allows($0) && !$0.isLinkLocal }
        guard let address = usable.first(where: { $0.protocol == .inet }) ?? usable.first else {
            throw TransportError(.other, "the network interface \(text) has no usable address")
        }
        return address
    }
}

extension SocketAddress {
    /// fe80::/10 (RFC 4291 §2.5.6).
    fileprivate var isLinkLocal: Bool {
        guard self.protocol == .inet6, let address = ipAddress.flatMap({ IPAddress($0.prefix { $0 != "%" }) }) else {
            return false
        }
        return address.bytes[0] == 0xFE && address.bytes[1] & 0xC0 == 0x80
    }
}
