import PawlCore
import Testing

/// RFC 6265, and where the jar is narrower.
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
        _ lines: [String], from: String = "https://www.example.com/a/b/page", to: String, suffixes: PublicSuffixList? = suffixes
    ) throws -> String? {
        var jar = CookieJar()
        jar.store(lines, from: try HTTPURL(parsing: from), wallClock: now, suffixes: suffixes)
        return jar.value(for: try HTTPURL(parsing: to), wallClock: now + 1)
    }

    @Test(arguments: [
        ("a=1; Domain=example.com", "https://example.com/a/b", true), ("a=1; Domain=.example.com", "https://dl.example.com/a/b", true),
        ("a=1; Domain=EXAMPLE.com", "https://x.y.example.com:8443/a/b/", true), ("a=1; Domain=example.com", "https://notexample.com/a/b", false),
        ("a=1; Domain=example.com", "http://example.com/a/b", false), ("a=1", "https://dl.www.example.com/a/b", false),
        ("a=1; Domain=com", "https://www.example.com/a/b", false), ("a=1; Domain=www.example.com", "https://x.www.example.com/a/b", true),
        ("a=1; Domain=dl.example.com", "https://dl.example.com/a/b", false), ("a=1; Domain=", "https://www.example.com/a/b", true),
        ("a=1; Path=/", "https://www.example.com/", true), ("a=1; Path=/a", "https://www.example.com/ab", false),
        ("a=1; Path=/a", "https://www.example.com/a/", true), ("a=1; Path=nonsense", "https://www.example.com/a/b", true),
        ("a=1; Secure; HttpOnly; SameSite=Strict", "https://www.example.com/a/b", true),
        ("__Host-a=1; Secure; Path=/", "https://www.example.com/a/b", true), ("__Host-a=1; Secure", "https://www.example.com/a/b", false),
        ("__Host-a=1; Secure; Path=/; Domain=example.com", "https://www.example.com/a/b", false),
        ("__Secure-a=1; Path=/", "https://www.example.com/a/b", false), ("__Secure-a=1; Secure", "https://www.example.com/a/b", true),
        ("a=1; Max-Age=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.example.com/a/b", true),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.example.com/a/b", false),
    ])
    func `a cookie goes where its attributes say`(_ line: String, _ url: String, _ isSent: Bool) throws {
        let sent = try Self.sent([line], to: url)
        #expect((sent != nil) == isSent)
        if let sent { #expect(sent == String(line.prefix { $0 != ";" })) }
    }

    @Test func `without a list of public suffixes a Domain widens nothing`() throws {
        let line = ["a=1; Domain=example.com; Path=/"]
        #expect(try Self.sent(line, to: "https://www.example.com/", suffixes: nil) == "a=1")
        #expect(try Self.sent(line, to: "https://example.com/", suffixes: nil) == nil)
        #expect(try Self.sent(["a=1; Domain=www.example.com; Path=/"], to: "https://x.www.example.com/", suffixes: nil) == nil)
    }

    @Test(arguments: ["192.0.2.1", "[2001:db8::1]"])
    func `an address has nothing below it`(_ host: String) throws {
        #expect(try Self.sent(["a=1; Domain=\(host); Path=/"], from: "https://\(host)/", to: "https://\(host)/") == (host == "192.0.2.1" ? "a=1" : nil))
        #expect(try Self.sent(["a=1; Domain=2.1; Path=/"], from: "https://192.0.2.1/", to: "https://9.0.2.1/") == nil)
    }

    @Test(arguments: [
        ("com", true), ("example.com", false), ("co.uk", true), ("example.co.uk", false), ("uk", true), ("github.io", true),
        ("me.github.io", false), ("io", true), ("kobe.jp", true), ("c.kobe.jp", true), ("b.c.kobe.jp", false), ("city.kobe.jp", false),
        ("www.city.kobe.jp", false), ("unlisted", true), ("example.unlisted", false), ("xn--55qx5d.cn", true), ("x.xn--55qx5d.cn", false),
    ])
    func `public suffixes are known by rule, wildcard and exception`(_ domain: String, _ isPublic: Bool) {
        #expect(Self.suffixes.isPublic(domain) == isPublic)
    }

    @Test(arguments: [("bücher.example", "xn--bcher-kva.example"), ("公司.cn", "xn--55qx5d.cn"), ("食狮.com.cn", "xn--85x722f.com.cn"), ("plain.org", "plain.org"),
        ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"), ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b")])
    func `names are written in ASCII as RFC 3492 has it`(_ name: String, _ ascii: String) {
        #expect(Punycode.encode(domain: name) == ascii)
    }

    @Test func `a host that is itself a public suffix has cookies of its own`() throws {
        #expect(try Self.sent(["a=1; Domain=github.io; Path=/"], from: "https://github.io/", to: "https://github.io/") == "a=1")
        #expect(try Self.sent(["a=1; Domain=github.io; Path=/"], from: "https://github.io/", to: "https://me.github.io/") == nil)
        #expect(try Self.sent(["a=1; Domain=github.io; Path=/"], from: "https://me.github.io/", to: "https://me.github.io/") == nil)
    }

    @Test func `longer paths come first, then older cookies, and one that is set again keeps its place`() throws {
        var jar = CookieJar()
        let url = try HTTPURL(parsing: "http://a.example/x/y")
        jar.store(["a=1; Path=/", "b=1; Path=/x", "c=1; Path=/"], from: url, wallClock: Self.now)
        let isNew = [1, 2].map { _ in jar.store(["a=2; Path=/"], from: url, wallClock: Self.now) }
        #expect(isNew == [true, false])
        #expect(jar.value(for: url, wallClock: Self.now, beside: ["own=0"]) == "own=0; b=1; a=2; c=1")
        jar.store(["c=; Path=/; Max-Age=0"], from: url, wallClock: Self.now)
        #expect(jar.value(for: url, wallClock: Self.now) == "b=1; a=2")
    }

    @Test func `one host that sets cookies without end pushes out its own alone`() throws {
        var jar = CookieJar()
        jar.store(["keep=1"], from: try HTTPURL(parsing: "http://good.example/"), wallClock: Self.now)
        let greedy = try HTTPURL(parsing: "http://greedy.example/")
        for number in 0..<200 { jar.store(["c\(number)=1"], from: greedy, wallClock: Self.now) }
        #expect(jar.cookies.count == 51)
        #expect(jar.value(for: greedy, wallClock: Self.now)?.hasPrefix("c150=1; c151=1") == true)
        #expect(jar.value(for: try HTTPURL(parsing: "http://good.example/"), wallClock: Self.now) == "keep=1")
        jar = CookieJar(mostCookies: 70)
        for number in 0..<100 { jar.store(["n="], from: try HTTPURL(parsing: "http://h\(number).example/"), wallClock: Self.now) }
        #expect(jar.cookies.count == 70)
        #expect(jar.cookies.first?.domain == "h30.example")
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
    func `a cookies.txt is read as browsers and curl write it`(_ lineEnd: String) throws {
        let text = Self.file.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd)
        let file = CookieFile(parsing: text, wallClock: Self.now)
        #expect(file.cookies.map(\.name) == ["wide", "session", "hidden", "empty"])
        #expect(file.unreadableLines == [9, 10, 11])
        #expect(file.cookies.map(\.isHTTPOnly) == [false, false, true, false])
        #expect(file.cookies.map(\.expires) == [1_900_000_000, nil, 1_900_000_000, nil])
        var jar = CookieJar()
        for cookie in file.cookies { jar.insert(cookie, wallClock: Self.now) }
        #expect(jar.value(for: try HTTPURL(parsing: "https://www.example.com/files/x"), wallClock: Self.now) == "session=two words; wide=1; hidden=3; empty=")
        #expect(jar.value(for: try HTTPURL(parsing: "http://other.example.com/"), wallClock: Self.now) == nil)
        #expect(jar.value(for: try HTTPURL(parsing: "https://other.example.com:1/"), wallClock: Self.now) == "wide=1")
        let again = CookieFile(parsing: CookieFile.text(of: jar, wallClock: Self.now), wallClock: Self.now)
        #expect(again.cookies == jar.cookies && again.unreadableLines.isEmpty)
    }

    @Test func `what was set over https is written as for https alone`() throws {
        var jar = CookieJar()
        jar.store(["a=1"], from: try HTTPURL(parsing: "https://a.example/"), wallClock: Self.now)
        jar.store(["b=1"], from: try HTTPURL(parsing: "http://a.example/"), wallClock: Self.now)
        let lines = CookieFile.text(of: jar, wallClock: Self.now).split(separator: "\n").suffix(2)
        #expect(lines.map(String.init) == ["a.example\tFALSE\t/\tTRUE\t0\ta\t1", "a.example\tFALSE\t/\tFALSE\t0\tb\t1"])
    }
}
