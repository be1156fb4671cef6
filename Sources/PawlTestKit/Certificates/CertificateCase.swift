/// A host, a certificate, and whether the certificate is valid for the host (RFC 9525). Pawl and curl are both held to
/// this table.
package struct CertificateCase: Sendable, CustomStringConvertible {
    package let what: String
    /// The host as in a URL, but an IPv6 address has no brackets.
    package let host: String
    package let names: [CertificateName]
    /// The subject's common name, which never suffices by itself.
    package let commonName: String
    package var days = 2
    /// Whether the client trusts the issuing authority.
    package var isTrusted = true
    package let isAccepted: Bool
    /// Differs from `isAccepted` only for common names, which OpenSSL's users still accept.
    package var curlAccepts: Bool

    package var description: String { what }

    package var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    private init(
        _ isAccepted: Bool, _ what: String, _ host: String, _ names: [CertificateName],
        commonName: String = "server", days: Int = 2, isTrusted: Bool = true, curlAccepts: Bool? = nil
    ) {
        (self.what, self.host, self.names, self.commonName) = (what, host, names, commonName)
        (self.days, self.isTrusted, self.isAccepted) = (days, isTrusted, isAccepted)
        self.curlAccepts = curlAccepts ?? isAccepted
    }

    package static let all = names + wildcards + bytes + addresses + chains

    private static let loopback = CertificateName.address([127, 0, 0, 1])
    /// 2001:db8::1
    private static let documentation: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

    private static let names: [CertificateCase] = [
        .init(true, "the name itself", "files.test", [.dns("files.test")]),
        .init(
            true, "one name of several, in other letters", "files.test",
            [.dns("www.test"), loopback, .dns("FILES.Test")]),
        .init(true, "a host with the root's dot", "files.test.", [.dns("files.test")]),
        .init(true, "an underscore, exactly", "a_b.files.test", [.dns("a_b.files.test")]),
        .init(false, "another name", "files.test", [.dns("files.example")], commonName: "files.test"),
        .init(false, "the parent's name", "www.files.test", [.dns("files.test")]),
        .init(false, "a name that ends like it", "files.test", [.dns("myfiles.test")]),
        .init(
            false, "the address at the other end of the socket, for a name", "files.test", [loopback],
            commonName: "files.test"),
        .init(false, "the common name alone", "files.test", [], commonName: "files.test", curlAccepts: true),
        .init(
            false, "the common name beside a mail address", "files.test", [.mail("root@files.test")],
            commonName: "files.test",
            curlAccepts: true),
    ]

    private static let wildcards: [CertificateCase] = [
        .init(true, "a wildcard for one label", "www.files.test", [.dns("*.files.test")]),
        .init(true, "a wildcard for a label with an underscore", "a_b.files.test", [.dns("*.files.test")]),
        .init(true, "a wildcard for an internationalized label", "xn--dmin-moa0i.files.test", [.dns("*.files.test")]),
        .init(false, "a wildcard for two labels", "a.www.files.test", [.dns("*.files.test")]),
        .init(false, "a wildcard for none", "files.test", [.dns("*.files.test")]),
        .init(false, "a wildcard for a top-level domain", "files.test", [.dns("*.test")]),
        .init(false, "a bare asterisk", "localhost", [.dns("*")]),
        .init(false, "a part of a label", "www.files.test", [.dns("w*.files.test")]),
        .init(false, "a wildcard in the middle", "www.files.test", [.dns("www.*.test")]),
        .init(false, "two wildcards", "www.files.test", [.dns("*.*.test")]),
    ]

    private static let bytes: [CertificateCase] = [
        .init(false, "a NUL behind the name", "files.test", [.dns("files.test\0.files.example")]),
        .init(false, "a NUL within the name", "files.test", [.dns("files\0.test")]),
        .init(false, "a letter that is k in lower case", "key.test", [.dns("\u{212A}ey.test")]),
        .init(
            false, "bytes that are no text", "files.test", [.dns(Array("files".utf8) + [0xFF] + Array(".test".utf8))]),
        .init(false, "no bytes", "files.test", [.dns("")]),
    ]

    private static let addresses: [CertificateCase] = [
        .init(true, "the address itself", "127.0.0.1", [.dns("localhost"), loopback]),
        .init(true, "the IPv6 address itself", "2001:db8::1", [.address(documentation)]),
        .init(false, "another address", "127.0.0.1", [.address([127, 0, 0, 2])]),
        .init(false, "another IPv6 address", "2001:db8::2", [.address(documentation)]),
        .init(false, "the IPv4 address within the IPv6 address", "::ffff:127.0.0.1", [loopback]),
        .init(false, "the address at the other end of the socket, for another", "192.0.2.1", [loopback]),
        .init(false, "a name for an address", "127.0.0.1", [.dns("localhost")]),
        .init(false, "an address as a name's text", "127.0.0.1", [.dns("127.0.0.1")]),
        .init(false, "an address as text", "127.0.0.1", [.address(Array("127.0.0.1".utf8))]),
        .init(false, "a wildcard for an address", "127.0.0.1", [.dns("*.0.0.1")]),
        .init(false, "an address as the common name", "127.0.0.1", [], commonName: "127.0.0.1", curlAccepts: true),
    ]

    private static let chains: [CertificateCase] = [
        .init(false, "the right name, expired", "files.test", [.dns("files.test")], days: -1),
        .init(false, "the right name, of another authority", "files.test", [.dns("files.test")], isTrusted: false),
        .init(false, "the right address, of another authority", "127.0.0.1", [loopback], isTrusted: false),
    ]
}
