import Testing

@testable import Pawl

/// The rules alone. `CertificateIdentityTests` checks them with real certificates, over every kind of connection.
@Suite struct PeerIdentityTests {
    @Test(arguments: [
        ("example.org", "example.org", true), ("Example.ORG", "example.org.", true),
        ("example.org.", "example.org", true), ("*.example.org", "a.example.org", true),
        ("*.example.org", "a_b.example.org", true), ("a_b.test", "A_B.test", true),
        ("*.example.org", "xn--a-ecp.example.org", true),
        ("*.example.org", "example.org", false), ("*.example.org", "a.b.example.org", false),
        ("*.org", "example.org", false), ("*", "org", false), ("*.", "org", false),
        ("**.example.org", "a.example.org", false), ("a*.example.org", "ab.example.org", false),
        ("a.*.org", "a.b.org", false), ("*.*.org", "a.b.org", false), ("*..example.org", "a..example.org", false),
        ("example.org", "xexample.org", false), ("", "", false), (".", ".", false),
        ("*.example.org", ".example.org", false), ("example.org..", "example.org", false),
        ("example.org\0", "example.org", false), ("example.org\0.test", "example.org", false),
        ("*.example.org", "*.example.org", false),
        // The Kelvin sign becomes k in lower case. To Swift, a decomposed accent equals the composed one.
        ("\u{212A}.test", "k.test", false), ("e\u{301}.test", "\u{E9}.test", false),
        ("\u{E9}.test", "\u{E9}.test", false),
    ])
    func `H15 a certificate's name covers the hosts that RFC 9525 allows, byte for byte`(
        _ pattern: String, _ host: String, _ covers: Bool
    ) {
        #expect(PeerIdentity(host).isCovered(byName: pattern.utf8) == covers)
        #expect(!PeerIdentity(host).isCovered(byAddress: pattern.utf8))
    }

    @Test(arguments: [
        "127.0.0.1", "2001:db8::1", "127.1", "0x7f.1", "2130706433", "127.0.0.01", "127.0.0.1.", "a.0x",
        "::ffff:1.2.3.04",
    ])
    func `H15 H16 a host that reads as an address is never covered by a name, and never sent as the server name`(
        _ host: String
    ) {
        let peer = PeerIdentity(host)
        #expect(!peer.isCovered(byName: host.utf8))
        #expect(!peer.isCovered(byName: ("*." + host.drop { $0 != "." }.dropFirst()).utf8))
        #expect(peer.serverName == nil)
    }

    @Test func `H15 an address is covered by its exact bytes only`() {
        #expect(PeerIdentity("192.0.2.7").isCovered(byAddress: [192, 0, 2, 7]))
        #expect(!PeerIdentity("192.0.2.7").isCovered(byAddress: [192, 0, 2]))
        #expect(!PeerIdentity("192.0.2.7").isCovered(byAddress: [192, 0, 2, 7, 0]))
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 7]
        #expect(!PeerIdentity("192.0.2.7").isCovered(byAddress: mapped))
        #expect(PeerIdentity("::ffff:192.0.2.7").isCovered(byAddress: mapped))
        #expect(PeerIdentity("::FFFF:c000:207").isCovered(byAddress: mapped))
        #expect(!PeerIdentity("localhost").isCovered(byAddress: [127, 0, 0, 1]))
        #expect(!PeerIdentity("").isCovered(byAddress: []))
    }

    @Test(arguments: [
        ("example.org", "example.org"), ("Example.org.", "example.org"), ("a_b.test", "a_b.test"),
        ("localhost", "localhost"), ("7.example", "7.example"),
    ])
    func `H16 the server name sent is the requested host, with underscores and without a trailing dot`(
        _ host: String, _ name: String
    ) {
        #expect(PeerIdentity(host).serverName == name)
    }
}
