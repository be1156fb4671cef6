import PawlCore
import Testing

@Suite struct ProxySettingsTests {
    private func proxy(_ environment: [String: String], for url: String) throws -> String? {
        try ProxySettings(environment: environment).server(for: HTTPURL(parsing: url))?.description
    }

    @Test func `a proxy that is not understood fails what would go through it, and nothing else`() throws {
        let environment = ["http_proxy": "a:1", "all_proxy": "socks4://c:3", "no_proxy": "near"]
        #expect(try proxy(environment, for: "http://h/") == "http://a:1")
        #expect(try proxy(environment, for: "https://near/") == nil)
        #expect(throws: ProxyParseError.oldSOCKS) { try proxy(environment, for: "https://h/") }
        let settings = ProxySettings(environment: environment)
        #expect(throws: ProxyParseError.oldSOCKS) { try settings.check() }
    }

    @Test func `each scheme has its own proxy variable, and all_proxy applies without one`() throws {
        let environment = ["http_proxy": "http://a:1", "https_proxy": "b:2", "all_proxy": "socks5h://c:3"]
        #expect(try proxy(environment, for: "http://h/") == "http://a:1")
        #expect(try proxy(environment, for: "https://h/") == "http://b:2")
        #expect(try proxy(["all_proxy": "socks5h://c:3"], for: "http://h/") == "socks5h://c:3")
        #expect(try proxy(["ALL_PROXY": "socks5://c:3"], for: "https://h/") == "socks5://c:3")
        #expect(try proxy([:], for: "http://h/") == nil)
    }

    @Test func `a lower-case variable takes precedence, an empty one is ignored, and HTTP_PROXY is never read`() throws
    {
        #expect(try proxy(["https_proxy": "a:1", "HTTPS_PROXY": "b:1"], for: "https://h/") == "http://a:1")
        #expect(try proxy(["https_proxy": "", "HTTPS_PROXY": "b:1"], for: "https://h/") == "http://b:1")
        #expect(try proxy(["HTTP_PROXY": "evil:1"], for: "http://h/") == nil)
        #expect(try proxy(["HTTP_PROXY": "evil:1", "all_proxy": "c:1"], for: "http://h/") == "http://c:1")
    }

    @Test func `no_proxy names the exceptions`() throws {
        #expect(try proxy(["http_proxy": "a:1", "no_proxy": "h"], for: "http://h/") == nil)
        #expect(try proxy(["http_proxy": "a:1", "NO_PROXY": "h"], for: "http://h/") == nil)
        #expect(
            try proxy(["http_proxy": "a:1", "no_proxy": "other", "NO_PROXY": "h"], for: "http://h/") == "http://a:1")
    }

    @Test func `an empty proxy setting means no proxy`() throws {
        #expect(try ProxySettings("").server(for: HTTPURL(parsing: "http://h/")) == nil)
    }

    @Test(arguments: [
        ("proxy.example", "http://proxy.example:1080"), ("proxy.example:80", "http://proxy.example:80"),
        ("HTTP://Proxy.Example:443/", "http://proxy.example:443"),
        ("https://proxy.example", "https://proxy.example:443"),
        ("https://proxy.example:80", "https://proxy.example:80"), ("socks5://[::1]", "socks5://[::1]:1080"),
        (" socks5h://10.0.0.1:9050 ", "socks5h://10.0.0.1:9050"), ("socks://[::1]:7890/", "socks5://[::1]:7890"),
        ("http://u:p@proxy.example", "http://proxy.example:1080"),
        ("http://proxy.example:3128/proxy", "http://proxy.example:3128"),
    ])
    func `a proxy is parsed with its defaults, and printed without its credentials`(
        _ text: String, _ shown: String
    ) throws {
        let server = try ProxyServer(parsing: text)
        #expect("\(server)" == shown)
        #expect(String(reflecting: server) == shown)
    }

    @Test(
        arguments: [
            ("", .malformed), ("http://", .malformed), ("socks4://h", .oldSOCKS), ("SOCKS4a://u@h:1080", .oldSOCKS),
            ("ftp://h", .unknownKind),
            ("http://u:80/b@h", .malformed), ("http://h?x", .malformed), ("http://h:0", .malformed),
            ("http://h:70000", .malformed),
            ("http://u:a/b@h", .malformed),
            ("http://u@x:p@h", .malformed), ("http://u%3Ax:p@h", .malformed), ("http://u:p%0A@h", .malformed),
            ("h\r\nX: y", .malformed),
            ("socks5://\(String(repeating: "u", count: 256)):p@h", .credentialsTooLong),
        ] as [(String, ProxyParseError)])
    func `an invalid proxy is refused without repeating its text`(_ text: String, _ expected: ProxyParseError) {
        #expect(throws: expected) { try ProxyServer(parsing: text) }
        #expect(!expected.message.contains("u:"))
    }

    @Test(
        arguments: [
            ("http://u:p%@h", Array("p%".utf8)), ("u:p%@", nil), ("u:%@h:8080", Array("%".utf8)),
            ("http://u:100%zz%41@h", Array("100%zzA".utf8)), ("http://u:pä ö@h/x", Array("pä ö".utf8)),
            (String(systemBytes: Array("http://u:p".utf8) + [0xE9, 0x25] + Array("@h".utf8)), [0x70, 0xE9, 0x25]),
        ] as [(String, [UInt8]?)])
    func `N34 proxy credentials are taken in the bytes they have, as far as these are no escapes`(
        _ text: String, _ password: [UInt8]?
    ) throws {
        guard let password else {
            #expect(throws: ProxyParseError.self) { try ProxyServer(parsing: text) }
            return
        }
        let credentials = try #require(try ProxyServer(parsing: text).credentials)
        #expect(credentials.userName == [0x75] && credentials.password == password)
    }

    @Test func `proxy credentials are percent-decoded, and the first colon ends the user name`() throws {
        let credentials = try #require(try ProxyServer(parsing: "http://us%40er:pa:ss%2Fw%25@h").credentials)
        #expect(credentials.userName == Array("us@er".utf8))
        #expect(credentials.password == Array("pa:ss/w%".utf8))
        #expect(credentials.basicField == "Basic dXNAZXI6cGE6c3MvdyU=")
        #expect("\(credentials)" == "(credentials)")
        #expect(try ProxyServer(parsing: "http://:@h").credentials == nil)
        #expect(try ProxyServer(parsing: "http://user@h").credentials?.password == [])
    }

    // MARK: no_proxy

    @Test(arguments: [
        ("*", "http://h/", true), ("*,h", "http://x/", false), ("", "http://h/", false),
        ("example.org", "http://example.org/", true), ("example.org", "http://EXAMPLE.org./", true),
        ("example.org", "http://a.example.org/", true), (".example.org", "http://example.org/", true),
        (".example.org", "http://a.b.example.org/", true), ("example.org.", "http://example.org/", true),
        ("example.org", "http://badexample.org/", false), ("example.org", "http://example.org.evil/", false),
        ("a b\tc,d", "http://c/", true), ("a, example.org ,c", "http://example.org/", true),
        ("example.org:8080", "http://example.org:8080/", true), ("example.org:8080", "http://example.org/", false),
        ("example.org:80", "http://example.org/", true), ("example.org:443", "https://example.org/", true),
        ("example.org:x", "http://example.org/", false), ("example.org:0", "http://example.org/", false),
        ("192.0.2.7", "http://192.0.2.7/", true), ("192.0.2.7", "http://192.0.2.70/", false),
        ("0.2.7", "http://192.0.2.7/", false),
        ("10.0.0.0/8", "http://10.9.8.7/", true), ("10.0.0.0/8", "http://11.0.0.1/", false),
        ("0.0.0.0/0", "http://1.2.3.4/", true),
        ("192.168.6.0/23", "http://192.168.7.255/", true), ("192.168.6.0/23", "http://192.168.8.0/", false),
        ("10.0.0.0/33", "http://10.0.0.0/", false), ("10.0.0.0/8", "http://name/", false),
        ("10.0.0.0/-1", "http://10.0.0.0/", false),
        ("::1", "http://[::1]/", true), ("[::1]", "http://[0:0:0:0:0:0:0:1]/", true),
        ("[::1]:8080", "http://[::1]:8080/", true),
        ("[::1]:8080", "http://[::1]/", false), ("2001:db8::/32", "http://[2001:db8:7::9]/", true),
        ("2001:db8::/32", "http://[2001:db9::]/", false), ("::/0", "http://1.2.3.4/", false),
        ("org", "http://example.org/", true),
        ("x\u{70F},example.org", "http://example.org/", true), ("x \u{301},example.org", "http://example.org/", true),
    ])
    func `no_proxy covers the same hosts as in curl`(_ list: String, _ url: String, _ covers: Bool) throws {
        #expect(ProxyBypass(parsing: list).covers(try HTTPURL(parsing: url)) == covers)
    }

    // MARK: Addresses

    @Test(arguments: [
        ("1.2.3.4", "01020304"), ("255.255.255.255", "ffffffff"), ("::", String(repeating: "0", count: 32)),
        ("::1", String(repeating: "0", count: 31) + "1"), ("1:2:3:4:5:6:7:8", "00010002000300040005000600070008"),
        ("2001:DB8::ffff:1", "20010db80000000000000000ffff0001"),
        ("::ffff:1.2.3.4", "00000000000000000000ffff01020304"),
        ("1::", "0001" + String(repeating: "0", count: 28)),
    ])
    func `an IP address is parsed into its bytes`(_ text: String, _ hex: String) throws {
        let bytes = try #require(IPAddress(text)).bytes
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hex)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.", "0x1.2.3.4", ":", ":::", "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "12345::", "g::", "::1.2.3", "1.2.3.4::", "fe80::1%eth0", "[::1]", "1:2:3:4:5:6:7:8::", "1:2:3:4:5:6:7:1.2.3.4",
    ])
    func `text that only resembles an IP address is not parsed as one`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
