import PawlCore
import Testing

/// RFC 6265, and the cases in which the jar is stricter.
@Suite struct CookieTests {
    static let now: Int64 = 1_800_000_000
    static let suffixes = PublicSuffixList(
        parsing: """
            // A list as small as it can be.
            com
            org
            uk
            co.uk
            jp
            *.kobe.jp
            !city.kobe.jp
            github.io  trailing words
            公司.cn
            cn

            """)

    private static func sent(
        _ lines: [String], from: String = "https://www.example.com/a/b/page", to: String,
        suffixes: PublicSuffixList? = suffixes
    ) throws -> String? {
        var jar = CookieJar()
        jar.store(lines, from: try HTTPURL(parsing: from), wallClock: now, suffixes: suffixes)
        return jar.value(for: try HTTPURL(parsing: to), wallClock: now + 1)
    }

    @Test(arguments: [
        ("a=1; Domain=example.com", "https://example.com/a/b", true),
        ("a=1; Domain=.example.com", "https://dl.example.com/a/b", true),
        ("a=1; Domain=EXAMPLE.com", "https://x.y.example.com:8443/a/b/", true),
        ("a=1; Domain=example.com", "https://notexample.com/a/b", false),
        ("a=1; Domain=example.com", "http://example.com/a/b", false), ("a=1", "https://dl.www.example.com/a/b", false),
        ("a=1; Domain=com", "https://www.example.com/a/b", false),
        ("a=1; Domain=www.example.com", "https://x.www.example.com/a/b", true),
        ("a=1; Domain=dl.example.com", "https://dl.example.com/a/b", false),
        ("a=1; Domain=", "https://www.example.com/a/b", true),
        ("a=1; Path=/", "https://www.example.com/", true), ("a=1; Path=/a", "https://www.example.com/ab", false),
        ("a=1; Path=/a", "https://www.example.com/a/", true),
        ("a=1; Path=nonsense", "https://www.example.com/a/b", true),
        ("a=1; Secure; HttpOnly; SameSite=Strict", "https://www.example.com/a/b", true),
        ("__Host-a=1; Secure; Path=/", "https://www.example.com/a/b", true),
        ("__Host-a=1; Secure", "https://www.example.com/a/b", false),
        ("__Host-a=1; Secure; Path=/; Domain=example.com", "https://www.example.com/a/b", false),
        ("__Secure-a=1; Path=/", "https://www.example.com/a/b", false),
        ("__Secure-a=1; Secure", "https://www.example.com/a/b", true),
        ("a=1; Max-Age=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.example.com/a/b", true),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.example.com/a/b", false),
    ])
    func `a cookie is sent where its attributes allow`(_ line: String, _ url: String, _ isSent: Bool) throws {
        let sent = try Self.sent([line], to: url)
        #expect((sent != nil) == isSent)
        if let sent { #expect(sent == String(line.prefix { $0 != ";" })) }
    }

    @Test(
        arguments: [
            ("a=1", "a=1"), ("a=1; Path=/files", "a=1"), ("a=1; Path=/files/", "a=1"), ("a=1; Path=/file", nil),
            ("a=1; Path=/other", nil), ("a=1; Secure", nil),
            ("a=1; Domain=example.org", "a=1"), ("a=1; Domain=.org", "a=1"), ("a=1; Domain=example.com", nil),
            ("a=1; Domain=dl.example.org.evil", nil),
            ("a=1; Max-Age=0", nil), ("a=1; Max-Age=-5", nil), ("a=1; Max-Age=60", "a=1"),
            ("a=1; Expires=Thu, 01-Jan-1970 00:00:01 GMT", nil),
            ("a=1; Max-Age=99999999999999999999", "a=1"), ("__Host-a=1", nil), ("noequals", nil), ("=1", nil),
            ("a=\u{1}", nil), (" a = 1 ;x", "a=1"),
        ] as [(String, String?)])
    func `H11 a cookie is sent only to its own host, path and scheme, and only until it expires`(
        _ line: String, _ sent: String?
    ) throws {
        let url = try HTTPURL(parsing: "http://dl.example.org/files/x")
        var jar = CookieJar()
        jar.store([line], from: url, wallClock: Self.now)
        #expect(jar.value(for: url, wallClock: Self.now + 1) == sent)
        for other in [
            "http://example.org/files/x", "http://dl.example.org:8080/files/x", "http://a.dl.example.org/files/x",
            "https://dl.example.org/files/x",
        ] {
            #expect(jar.value(for: try HTTPURL(parsing: other), wallClock: Self.now + 1) == nil)
        }
    }

    @Test func `without a list of public suffixes a Domain attribute does not widen a cookie`() throws {
        let line = ["a=1; Domain=example.com; Path=/"]
        #expect(try Self.sent(line, to: "https://www.example.com/", suffixes: nil) == "a=1")
        #expect(try Self.sent(line, to: "https://example.com/", suffixes: nil) == nil)
        #expect(
            try Self.sent(["a=1; Domain=www.example.com; Path=/"], to: "https://x.www.example.com/", suffixes: nil)
                == nil)
    }

    @Test(arguments: ["192.0.2.1", "[2001:db8::1]"])
    func `a cookie of an IP address is not sent to other addresses`(_ host: String) throws {
        #expect(
            try Self.sent(["a=1; Domain=\(host); Path=/"], from: "https://\(host)/", to: "https://\(host)/")
                == (host == "192.0.2.1" ? "a=1" : nil))
        #expect(try Self.sent(["a=1; Domain=2.1; Path=/"], from: "https://192.0.2.1/", to: "https://9.0.2.1/") == nil)
    }

    @Test(arguments: [
        ("com", true), ("example.com", false), ("co.uk", true), ("example.co.uk", false), ("uk", true),
        ("github.io", true),
        ("me.github.io", false), ("io", true), ("kobe.jp", true), ("c.kobe.jp", true), ("b.c.kobe.jp", false),
        ("city.kobe.jp", false),
        ("www.city.kobe.jp", false), ("unlisted", true), ("example.unlisted", false), ("xn--55qx5d.cn", true),
        ("x.xn--55qx5d.cn", false),
    ])
    func `public suffixes are recognised by rule, wildcard and exception`(_ domain: String, _ isPublic: Bool) {
        #expect(Self.suffixes.isPublic(domain) == isPublic)
    }

    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("公司.cn", "xn--55qx5d.cn"), ("食狮.com.cn", "xn--85x722f.com.cn"),
        ("plain.org", "plain.org"),
        ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"), ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
    ])
    func `host names are converted to ASCII as RFC 3492 defines`(_ name: String, _ ascii: String) {
        #expect(Punycode.encode(domain: name) == ascii)
        for (label, written) in zip(name.split(separator: "."), ascii.split(separator: ".")) where label != written {
            #expect(Punycode.decode(label: written) == String(label))
        }
    }

    @Test(arguments: ["", "xn--", "xn---", "xn--a-", "xn--99999999999", "xn--bcher-KVA", "xn--bcher_kva", "a"])
    func `what RFC 3492 does not write is not read`(_ label: String) {
        #expect(Punycode.decode(label: Substring(label)) == nil)
    }

    @Test func `a host that is itself a public suffix keeps its own cookies`() throws {
        #expect(
            try Self.sent(["a=1; Domain=github.io; Path=/"], from: "https://github.io/", to: "https://github.io/")
                == "a=1")
        #expect(
            try Self.sent(["a=1; Domain=github.io; Path=/"], from: "https://github.io/", to: "https://me.github.io/")
                == nil)
        #expect(
            try Self.sent(["a=1; Domain=github.io; Path=/"], from: "https://me.github.io/", to: "https://me.github.io/")
                == nil)
    }

    @Test func `cookies with longer paths come first, then older cookies, and a renewed cookie keeps its place`() throws
    {
        var jar = CookieJar()
        let url = try HTTPURL(parsing: "http://a.example/x/y")
        jar.store(["a=1; Path=/", "b=1; Path=/x", "c=1; Path=/"], from: url, wallClock: Self.now)
        let isNew = [1, 2].map { _ in jar.store(["a=2; Path=/"], from: url, wallClock: Self.now) }
        #expect(isNew == [true, false])
        #expect(jar.value(for: url, wallClock: Self.now, beside: ["own=0"]) == "own=0; b=1; a=2; c=1")
        jar.store(["c=; Path=/; Max-Age=0"], from: url, wallClock: Self.now)
        #expect(jar.value(for: url, wallClock: Self.now) == "b=1; a=2")
    }

    @Test func `a host that sets cookies without end evicts only its own`() throws {
        var jar = CookieJar()
        jar.store(["keep=1"], from: try HTTPURL(parsing: "http://good.example/"), wallClock: Self.now)
        let greedy = try HTTPURL(parsing: "http://greedy.example/")
        for number in 0..<200 { jar.store(["c\(number)=1"], from: greedy, wallClock: Self.now) }
        #expect(jar.cookies.count == 51)
        #expect(jar.value(for: greedy, wallClock: Self.now)?.hasPrefix("c150=1; c151=1") == true)
        #expect(jar.value(for: try HTTPURL(parsing: "http://good.example/"), wallClock: Self.now) == "keep=1")
        jar = CookieJar(maximumCookies: 70)
        for number in 0..<100 {
            jar.store(["n="], from: try HTTPURL(parsing: "http://h\(number).example/"), wallClock: Self.now)
        }
        #expect(jar.cookies.count == 70)
        #expect(jar.cookies.first?.domain == "h30.example")
    }

    // MARK: Root dots, case and Unicode

    @Test(arguments: ["co.uk.", ".co.uk.", "CO.UK.", "uk.", ".uk."])
    func `H17 a public suffix with a trailing dot is public, too`(_ domain: String) throws {
        let line = ["a=1; Domain=\(domain); Path=/"]
        #expect(try Self.sent(line, from: "https://a.co.uk./", to: "https://b.co.uk./") == nil)
        #expect(try Self.sent(line, from: "https://a.co.uk./", to: "https://a.co.uk./") == nil)
        #expect(Self.suffixes.isPublic("co.uk.") && !Self.suffixes.isPublic("a.co.uk."))
    }

    @Test(arguments: [
        ("example.com.", "https://dl.example.com./", true), (".example.com.", "https://dl.example.com./", true),
        ("example.com.", "https://example.com./", true), ("example.com", "https://dl.example.com./", false),
        ("example.com.", "https://dl.example.com/", false), ("com.", "https://dl.com./", false),
        ("example.com..", "https://dl.example.com./", false), (".", "https://www.example.com./", true),
        (".", "https://dl.example.com./", false),
    ])
    func `H17 hosts with and without a trailing dot share no cookies`(
        _ domain: String, _ url: String, _ isSent: Bool
    ) throws {
        let line = ["a=1; Domain=\(domain); Path=/"]
        #expect((try Self.sent(line, from: "https://www.example.com./", to: url) != nil) == isSent)
    }

    @Test(arguments: ["ex\u{E4}mple.com", "\u{301}example.com", "example.\u{212A}om", "EXAMPLE.\u{FF43}om"])
    func `H17 a cookie domain outside ASCII matches no host, whatever Unicode treats as equal`(_ domain: String) throws
    {
        let line = ["a=1; Domain=\(domain); Path=/"]
        #expect(try Self.sent(line, from: "https://www.example.com/", to: "https://www.example.com/") == nil)
        // U+212A, the Kelvin sign, becomes "k" in lower case.
        #expect(
            try Self.sent(
                ["a=1; Domain=\u{212A}obe.org; Path=/"], from: "https://a.kobe.org/", to: "https://b.kobe.org/") == nil)
        let file = CookieFile(parsing: "\(domain)\tTRUE\t/\tFALSE\t0\ta\t1", wallClock: Self.now)
        #expect(file.cookies.isEmpty && file.unreadableLines == [1])
    }

    @Test(arguments: [
        ("0x7f.0.0.1", "0.0.1", "0x8.0.0.1"), ("0X7F.0.0x1", "0.0x1", "0x8.0.0x1"), ("192.0.2.1", "0.2.1", "198.0.2.1"),
    ])
    func `H17 a host that a resolver reads as an address has no subdomains`(
        _ host: String, _ domain: String, _ other: String
    ) throws {
        #expect(
            try Self.sent(["a=1; Domain=\(domain); Path=/"], from: "https://\(host)/", to: "https://\(other)/") == nil)
    }

    @Test func `H17 a combining mark after a cookie-name prefix does not bypass the prefix's rules`() throws {
        for line in ["__Host-\u{301}=1; Path=/", "__Secure-\u{301}a=1; Path=/", "__HOST-a=1; Path=/"] {
            #expect(try Self.sent([line], to: "https://www.example.com/") == nil)
        }
    }

    // MARK: A full jar

    @Test(arguments: [
        ("h1.evil.com", "evil.com"), ("evil.com.", "evil.com"), ("a.b.me.github.io", "me.github.io"),
        ("github.io", "github.io"),
        ("x.city.kobe.jp", "city.kobe.jp"), ("x.b.c.kobe.jp", "b.c.kobe.jp"), ("localhost", "localhost"),
        ("a.unlisted", "a.unlisted"),
    ])
    func `a host's registrable domain is one label longer than its public suffix`(_ host: String, _ domain: String) {
        #expect(Self.suffixes.registrableDomain(of: host) == domain)
    }

    /// The attacker redirects from one of its hosts to the next, and each sets all cookies that a domain may have.
    @Test(arguments: ["evil.example", "evil.co.uk", "evil.co.uk.", "x.ai"], [suffixes, nil])
    func `H17 a site that fills the jar from many subdomains evicts only its own cookies`(
        _ site: String, _ suffixes: PublicSuffixList?
    ) throws {
        var jar = CookieJar(maximumCookies: 300)
        let good = try (0..<4).flatMap { number in
            try ["good\(number).example", "www.good\(number).co.uk"].map { try HTTPURL(parsing: "http://\($0)/") }
        }
        for url in good {
            jar.store((0..<20).map { "keep\($0)=1" }, from: url, wallClock: Self.now, suffixes: suffixes)
        }
        for host in 0..<8 {
            let url = try HTTPURL(parsing: "http://h\(host).\(site)/")
            jar.store((0..<60).map { "c\($0)=1" }, from: url, wallClock: Self.now, suffixes: suffixes)
        }
        #expect(jar.count == 300)
        for url in good { #expect(jar.cookies.count { $0.domain == url.host } == 20, "\(url.host)") }
    }

    @Test func `H17 a jar filled by one site still accepts the cookies of others`() throws {
        var jar = CookieJar(maximumCookies: 300)
        for host in 0..<6 {
            let url = try HTTPURL(parsing: "http://h\(host).evil.com/")
            jar.store((0..<50).map { "c\($0)=1" }, from: url, wallClock: Self.now)
        }
        let login = try HTTPURL(parsing: "http://login.example/")
        for number in 0..<3 { jar.store(["s\(number)=1"], from: login, wallClock: Self.now) }
        #expect(jar.value(for: login, wallClock: Self.now) == "s0=1; s1=1; s2=1")
        #expect(jar.count == 300)
    }

    /// Without the list, `good.github.io` and `me.github.io` look like one site.
    @Test func `H17 a public suffix list that arrives late also applies to cookies already in the jar`() throws {
        var jar = CookieJar(maximumCookies: 200)
        let good = try HTTPURL(parsing: "http://good.github.io/")
        jar.store((0..<45).map { "keep\($0)=1" }, from: good, wallClock: Self.now)
        for host in 0..<4 {
            let url = try HTTPURL(parsing: "http://h\(host).me.github.io/")
            jar.store(
                (0..<50).map { "c\($0)=1" }, from: url, wallClock: Self.now, suffixes: host < 3 ? nil : Self.suffixes)
        }
        #expect(jar.cookies.count { $0.domain == good.host } == 45)
    }

    // MARK: The file

    static let file = """
        # Netscape HTTP Cookie File
        # a comment

        .example.com\tTRUE\t/\tTRUE\t1900000000\twide\t1
        www.example.com\tFALSE\t/files\tFALSE\t0\tsession\ttwo words
        #HttpOnly_www.example.com\tFALSE\t/\tFALSE\t1900000000.5\thidden\t3
        www.example.com\tFALSE\t/\tFALSE\t1700000000\tover\t4
        www.example.com\tFALSE\t/\tFALSE\t0\tempty
        this is no cookie
        www.example.com\tMAYBE\t/\tFALSE\t0\ta\t1
        \u{1}\tTRUE\t/\tFALSE\t0\ta\t1

        """

    @Test(arguments: ["\n", "\r\n"])
    func `a cookies.txt is read in the forms that browsers and curl write`(_ lineEnd: String) throws {
        let text = Self.file.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd)
        let file = CookieFile(parsing: text, wallClock: Self.now)
        #expect(file.cookies.map(\.name) == ["wide", "session", "hidden", "empty"])
        #expect(file.unreadableLines == [9, 10, 11])
        #expect(file.cookies.map(\.isHTTPOnly) == [false, false, true, false])
        #expect(file.cookies.map(\.expires) == [1_900_000_000, nil, 1_900_000_000, nil])
        var jar = CookieJar()
        for cookie in file.cookies { jar.insert(cookie, wallClock: Self.now) }
        #expect(
            jar.value(for: try HTTPURL(parsing: "https://www.example.com/files/x"), wallClock: Self.now)
                == "session=two words; wide=1; hidden=3; empty=")
        #expect(jar.value(for: try HTTPURL(parsing: "http://other.example.com/"), wallClock: Self.now) == nil)
        #expect(jar.value(for: try HTTPURL(parsing: "https://other.example.com:1/"), wallClock: Self.now) == "wide=1")
        let again = CookieFile(parsing: CookieFile.text(of: jar, wallClock: Self.now), wallClock: Self.now)
        #expect(again.cookies == jar.cookies && again.unreadableLines.isEmpty)
    }

    @Test func `a cookie that a server may set survives saving and reading, however long`() throws {
        var jar = CookieJar()
        // What the field parser makes of 4,096 bytes that are not UTF-8.
        let value = String(repeating: "\u{FFFD}", count: 4000)
        let path = "/" + String(repeating: "p", count: 16_000)
        let file = CookieFile(parsing: ".a.example\tTRUE\t\(path)\tFALSE\t0\ta\t\(value)", wallClock: Self.now)
        for cookie in file.cookies { jar.insert(cookie, wallClock: Self.now) }
        #expect(jar.cookies.count == 1)
        let again = CookieFile(parsing: CookieFile.text(of: jar, wallClock: Self.now), wallClock: Self.now)
        #expect(again.cookies == jar.cookies && again.unreadableLines.isEmpty)
    }

    @Test func `a cookie domain with more than one leading dot is unreadable`() {
        let file = CookieFile(
            parsing: "..\tFALSE\t/\tFALSE\t0\ta\t1\n..b.example\tTRUE\t/\tFALSE\t0\ta\t1", wallClock: Self.now)
        #expect(file.cookies.isEmpty && file.unreadableLines == [1, 2])
    }

    @Test func `a cookie set over https is saved as Secure`() throws {
        var jar = CookieJar()
        jar.store(["a=1"], from: try HTTPURL(parsing: "https://a.example/"), wallClock: Self.now)
        jar.store(["b=1"], from: try HTTPURL(parsing: "http://a.example/"), wallClock: Self.now)
        let lines = CookieFile.text(of: jar, wallClock: Self.now).split(separator: "\n").suffix(2)
        #expect(
            lines.map(String.init) == ["a.example\tFALSE\t/\tTRUE\t0\ta\t1", "a.example\tFALSE\t/\tFALSE\t0\tb\t1"])
    }
}
