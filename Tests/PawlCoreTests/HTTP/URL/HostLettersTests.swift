import PawlCore
import Testing

@Suite("Hosts in letters outside ASCII")
struct HostLettersTests {
    /// Converts one host, and fails for any other.
    private static func replaced(_ text: String, by name: String = "xn--bcher-kva.example") throws -> String {
        try HTTPURL.replacingHost(in: text) { (host) throws(HTTPURLError) in
            guard host == "bücher.example" else { throw .unconvertibleHost("asked about \(host)") }
            return name
        }
    }

    @Test(arguments: [
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        (" HTTP://me:p@bücher.example:81/ü?ä#ö ", " HTTP://me:p@xn--bcher-kva.example:81/ü?ä#ö "),
        ("https://bücher.example?q=@x", "https://xn--bcher-kva.example?q=@x"),
        ("https://bücher.example#/@x", "https://xn--bcher-kva.example#/@x"),
    ])
    func `the host alone is replaced`(text: String, expected: String) throws {
        #expect(try Self.replaced(text) == expected)
        #expect(throws: Never.self) { try HTTPURL(parsing: expected) }
    }

    @Test(arguments: [
        "https://example.org/ü", "https://ü@example.org/", "//bücher.example/list", "bücher.example/x", "büch", "",
        "ftp://bücher.example/", "https://[::ü]/", "https://a:b:c\u{FC}/", "https://h\u{0}\u{FC}/",
    ])
    func `any other text is kept for the parser to judge`(text: String) throws {
        #expect(try Self.replaced(text) == text)
    }

    /// A mapping makes “／” a slash, and what follows it would be another host's path.
    @Test(arguments: [
        "evil/x.example", "evil?x", "evil#x", "evil@x", "evil:80", "evil\\x", "a..b", ".a", "", "a b", "ü",
    ])
    func `an answer that is no host is refused`(answer: String) {
        #expect(throws: HTTPURLError.self) { try Self.replaced("https://bücher.example/", by: answer) }
    }

    @Test(arguments: [
        ("example.org", "example.org"), ("a-b.example", "a-b.example"), ("::1", "::1"),
        ("xn--bcher-kva.example", "bücher.example (xn--bcher-kva.example)"),
        ("xn--fa-hia.de", "faß.de (xn--fa-hia.de)"),
        ("xn--80ak6aa92e.com", "аррӏе.com (xn--80ak6aa92e.com)"),
        ("xn--3b-ww4c5e180e575a65lsy2b.jp", "3年b組金八先生.jp (xn--3b-ww4c5e180e575a65lsy2b.jp)"),
        ("xn--bcher-kva.example:443", "bücher.example:443 (xn--bcher-kva.example:443)"),
        // A Cyrillic “а” among Latin letters.
        ("xn--pypal-4ve.com", "xn--pypal-4ve.com"),
        // U+202E, a combining mark, a slash's double, capitals, and what is no Punycode.
        ("xn--a-qin.example", "xn--a-qin.example"), ("xn--a-xbb.example", "xn--a-xbb.example"),
        ("xn--ax-6bv.example", "xn--ax-6bv.example"), ("xn--a.example", "xn--a.example"),
        ("xn--bcher-kva.xn--pypal-4ve.com", "xn--bcher-kva.xn--pypal-4ve.com"),
    ])
    func `a host is shown in its letters too where they are of one script`(host: String, shown: String) {
        #expect(HTTPURL.shown(host: host) == shown)
    }
}
