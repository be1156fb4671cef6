internal import NIOCore
internal import NIOSSL
internal import PawlCore

/// The host that a certificate has to be for: the reference identity of RFC 9525 §6.1 and RFC 9110 §4.3.4.
///
/// Servers and proxies are held to it alike. The TLS library verifies the chain. Its comparison of names is off
/// (``TransportConfiguration``): for a host name it also accepts a certificate for the address at the other end of the
/// socket, which anyone can get who redirects the name to a machine of their own, and it falls back to the common name.
struct PeerIdentity: Equatable {
    private enum Reference: Equatable {
        /// Labels in lower case, without the root's dot.
        case name([ArraySlice<UInt8>])
        case address([UInt8])
        /// Neither a name nor an address: no certificate can be for it.
        case unverifiable
    }

    private let host: String
    private let reference: Reference

    /// - Parameter host: of a URL, an IPv6 address without its brackets.
    init(_ host: String) {
        self.host = host
        if let address = IPAddress(host) {
            reference = .address(address.bytes)
        } else if let labels = Self.labels(host.utf8), labels.first != [UInt8(ascii: "*")],
            !Self.isNumber(labels.last)
        {
            reference = .name(labels)
        } else {
            reference = .unverifiable
        }
    }

    /// The host name sent to the server in the TLS handshake: names only, without the root's dot (RFC 6066 §3).
    var serverName: String? {
        guard case .name(let labels) = reference else { return nil }
        return String(decoding: Array(labels.joined(separator: [UInt8(ascii: ".")])), as: UTF8.self)
    }

    // MARK: - Comparing

    func matches(_ certificate: NIOSSLCertificate) -> Bool {
        certificate._subjectAlternativeNames().contains { name in
            switch name.nameType {
            case .dnsName: isCovered(byName: name.contents)
            case .ipAddress: isCovered(byAddress: name.contents)
            default: false
            }
        }
    }

    /// A name covers itself, and `*.example.org` covers one label more (RFC 9525 §6.3). Partial wildcards and those of
    /// a whole top-level domain cover nothing.
    func isCovered(byName presented: some Sequence<UInt8>) -> Bool {
        guard case .name(let labels) = reference, let pattern = Self.labels(presented) else { return false }
        guard pattern.first == [UInt8(ascii: "*")] else { return pattern == labels }
        return pattern.count > 2 && pattern.dropFirst() == labels.dropFirst()
    }

    func isCovered(byAddress presented: some Sequence<UInt8>) -> Bool {
        guard case .address(let bytes) = reference else { return false }
        return bytes.elementsEqual(presented)
    }

    /// Returns the labels of a host name; nil if it has bytes that no host name has: a NUL or a letter outside ASCII
    /// must not be read as something else.
    private static func labels(_ name: some Sequence<UInt8>) -> [ArraySlice<UInt8>]? {
        var bytes = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // The asterisk stands for a whole label, the left-most one, or for nothing.
        let named = labels.first == [UInt8(ascii: "*")] ? labels.dropFirst() : labels[...]
        return named.allSatisfy { !$0.isEmpty && $0.allSatisfy(isNameByte) } ? labels : nil
    }

    /// Whether a byte may be in a host name. Accepts the underscore: RFC 952 knows no such host name, but DNS and the
    /// names in use do.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// `127.1` and `0x7f.1` are addresses to the system's resolver; no name ends in a number.
    private static func isNumber(_ label: ArraySlice<UInt8>?) -> Bool {
        guard let label else { return false }
        if label.starts(with: "0x".utf8) { return label.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil } }
        return label.allSatisfy(ASCII.isDigit)
    }

    // MARK: - Telling

    /// Returns the error for a certificate that does not match, for people.
    func mismatch(_ certificate: NIOSSLCertificate?) -> TransportError {
        guard let certificate else { return TransportError(.tls, "the server sent no certificate") }
        let names = Array(certificate._subjectAlternativeNames().lazy.compactMap(Self.describe).prefix(4))
        guard !names.isEmpty else {
            return TransportError(
                .wrongHost,
                "the certificate names no host (a common name alone does not count), so it is not for \(host)")
        }
        let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
        return TransportError(.wrongHost, "the certificate is for \(shown), not for \(host)")
    }

    /// Returns a name of a certificate for a message; nil if there is nothing to show. The maker of the certificate
    /// chose these bytes, so only those of host names are shown.
    private static func describe(_ name: _SubjectAlternativeName) -> String? {
        switch name.nameType {
        case .dnsName:
            guard let labels = labels(name.contents), !isNumber(labels.last) else { return nil }
            return String(decoding: name.contents.prefix(100), as: UTF8.self) + (name.contents.count > 100 ? "…" : "")
        case .ipAddress:
            return try? SocketAddress(packedIPAddress: ByteBuffer(bytes: name.contents), port: 0).ipAddress
        default:
            return nil
        }
    }
}
