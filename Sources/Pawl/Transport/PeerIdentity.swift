internal import NIOSSL
internal import PawlCore

/// Whom a certificate is for (RFC 9110 §4.3.4, RFC 9525), for servers that are reached through a proxy.
///
/// The TLS library compares a certificate with the address at the other end of the socket, too. That is the proxy's: a certificate for
/// the proxy's address would do for any server behind it, and one for a server's address for none.
enum PeerIdentity {
    static func matches(_ certificate: NIOSSLCertificate, host: String) -> Bool {
        let address = IPAddress(host)
        return certificate._subjectAlternativeNames().contains { name in
            switch name.nameType {
            case .dnsName: address == nil && covers(String(decoding: name.contents, as: UTF8.self), host)
            case .ipAddress: address.map { $0.bytes.elementsEqual(name.contents) } ?? false
            default: false
            }
        }
    }

    /// A name matches itself; `*.example.org` one label more (RFC 9525 §6.3).
    static func covers(_ pattern: String, _ host: String) -> Bool {
        let pattern = labels(pattern)
        let host = labels(host)
        guard pattern.count == host.count, let first = pattern.first, !host.contains("") else { return false }
        // Not all of a top-level domain.
        if first == "*" { return pattern.count > 2 && pattern.dropFirst() == host.dropFirst() }
        return pattern == host
    }

    private static func labels(_ name: String) -> [Substring] {
        let name = name.lowercased()
        return (name.hasSuffix(".") ? name.dropLast() : name[...]).split(separator: ".", omittingEmptySubsequences: false)
    }
}
