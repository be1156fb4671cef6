import Logging
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

    /// A socket that takes both families shows IPv4 addresses as IPv6 (RFC 4291 §2.5.5.2); firewalls know them as they are.
    private static func plain(_ address: String) -> String {
        let mapped = "::ffff:"
        let rest = String(Substring(address.utf8.dropFirst(mapped.utf8.count)))
        return address.begins(with: mapped) && IPAddress(rest)?.isIPv6 == false ? rest : address
    }

    /// The fields that each line about the client has.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["address": "\(address)"]
        if let origin { metadata["origin"] = "\(Printable.word(origin.utf8.prefix(200)))" }
        return metadata
    }
}

/// Text from outside for a log: no line break, no escape sequence.
enum Printable {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The same, without a blank: a value cannot look like other fields of its line.
    static func word(_ bytes: some Sequence<UInt8>) -> String {
        text(bytes.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "?") : $0 })
    }
}
