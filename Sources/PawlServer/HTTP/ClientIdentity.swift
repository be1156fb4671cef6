/// The client behind a request, as limits and the log know it.
struct ClientIdentity: Hashable, Sendable {
    let peer: HTTPCall.Peer
    /// The client's numeric address, or `unix` on the socket; behind a trusted proxy, that of the proxy's client.
    let address: String
    /// The origin that a browser names.
    let origin: String?

    init(peer: HTTPCall.Peer, address: String? = nil, origin: String? = nil) {
        self.peer = peer
        switch peer {
        case .owner: self.address = "unix"
        case .address(let own): self.address = address ?? own
        }
        self.origin = origin
    }
}
