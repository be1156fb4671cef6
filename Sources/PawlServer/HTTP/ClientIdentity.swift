import PawlCore

/// The client behind a request, as limits and the log know it.
struct ClientIdentity: Hashable, Sendable {
    let peer: HTTPCall.Peer
    /// The client's numeric address, or `unix` on the socket; behind a trusted proxy, that of the proxy's client.
    let address: String
    /// The origin that a browser names.
    let origin: String?

    /// - Parameter address: in place of the peer's own.
    init(peer: HTTPCall.Peer, address: String? = nil, origin: String? = nil) {
        self.peer = peer
        switch peer {
        case .owner: self.address = "unix"
        case .address(let own): self.address = Self.plain(address ?? own)
        }
        self.origin = origin
    }

    /// A socket that takes both families shows IPv4 addresses as IPv6 (RFC 4291 §2.5.5.2); firewalls know them as they
    /// are.
    private static func plain(_ address: String) -> String {
        let mapped = "::ffff:"
        let rest = String(Substring(address.utf8.dropFirst(mapped.utf8.count)))
        return address.begins(with: mapped) && IPAddress(rest)?.isIPv6 == false ? rest : address
    }
}
