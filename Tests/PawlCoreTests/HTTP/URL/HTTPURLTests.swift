import PawlCore
import Testing

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTPS://EXAMPLE.com:443/a", "https://example.com/a"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("https://example.com:8443/a?b=c#d", "https://example.com:8443/a?b=c"),
        ("https://example.com?x=1", "https://example.com/?x=1"),
        ("https://example.com/a?", "https://example.com/a?"),
        ("  https://example.com/a  ", "https://example.com/a"),
        ("https://user:p%40ss@example.com/a", "https://example.com/a"),
        ("https://example.com/my file.iso", "https://example.com/my%20file.iso"),
        ("https://example.com/ä?ö=ü", "https://example.com/%C3%A4?%C3%B6=%C3%BC"),
        ("https://example.com/100%/%41%zz", "https://example.com/100%25/%41%25zz"),
        ("https://example.com/a\\b?c\\d", "https://example.com/a%5Cb?c%5Cd"),
        ("https://example.com/a/./b/../c/..", "https://example.com/a/"),
        ("https://example.com/../../etc", "https://example.com/etc"),
        ("https://example.com/a//b", "https://example.com/a//b"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"),
        ("http://example.com./", "http://example.com./"),
        ("http://0x7f.1/", "http://0x7f.1/"),
    ])
    func `a URL is parsed and written in normal form`(_ text: String, _ expected: String) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.serialized == expected)
        #expect(try HTTPURL(parsing: url.serialized).serialized == expected)
    }

    @Test(arguments: [
        "<https://example.org/a>", "“https://example.org/a”", "'https://example.org/a'", "(https://example.org/a)",
        " \"https://example.org/a\"",
    ])
    func `quotes and brackets around a URL are named`(text: String) {
        #expect { try HTTPURL(parsing: text) } throws: { error in
            if case .enclosed? = error as? HTTPURLError { true } else { false }
        }
    }

    @Test(arguments: [
        "https://a.example/x https://b.example/y", "http://a.example/x\u{20}http://a.example/y",
        " http://a http://b?x ",
    ])
    func `two URLs with a blank between them are refused where they are typed`(text: String) {
        #expect(throws: HTTPURLError.several) { try HTTPURL.check(typed: text) }
    }

    @Test(arguments: [
        ("https://a.example/x.isohttps://b.example/y", true), ("http://a/x1http://b", true),
        ("https://a.comhttps://b.com/x", true),
        ("https://a/x.isoHTTPS://b", true), ("https://http://host/a", true),
        ("https://web.example/web/2020/http://a/", false), ("https://a/x-https://b/", false),
        ("https://a/xhttp%3A//b", false), ("https://a/?u=xhttp://b", false), ("https://a/xftp://b", false),
        ("https://a/http://b", false),
        ("https://a/xhttp:/b", false), (" https://a/x ", false),
    ])
    func `two URLs with nothing between them are refused where they are typed`(text: String, expected: Bool) throws {
        var error: HTTPURLError?
        do throws(HTTPURLError) { try HTTPURL.check(typed: text) } catch let found { error = found }
        #expect(error == (expected ? .glued : nil))
        // What was stored before stays readable.
        _ = try HTTPURL(parsing: text)
    }

    @Test func `a URL is divided into its parts`() throws {
        let url = try HTTPURL(parsing: "https://me:secret@[::1]:8443/d/f%2Fg?k=v&w#frag")
        #expect(url.scheme == .https)
        #expect(url.userinfo == "me:secret")
        #expect(url.host == "::1")
        #expect(url.isIPv6)
        #expect(url.port == 8443)
        #expect(url.effectivePort == 8443)
        #expect(url.path == "/d/f%2Fg")
        #expect(url.query == "k=v&w")
        #expect(url.requestTarget == "/d/f%2Fg?k=v&w")
        #expect(url.lastPathSegment == Array("f/g".utf8))
        #expect(try HTTPURL(parsing: "http://@h/").userinfo == nil)
    }

    @Test(arguments: [
        ("", HTTPURLError.empty), ("   ", .empty), ("#top", .empty),
        ("example.com/a", .noScheme), ("example.com:8080/a", .noScheme), ("localhost:8080", .noScheme),
        ("//example.com/", .noScheme),
        ("file:///etc/passwd", .unsupportedScheme("file")), ("FTP://h/", .unsupportedScheme("ftp")),
        ("data:text/plain,x", .unsupportedScheme("data")),
        ("http:", .noHost), ("http:/a", .noHost), ("http:///a", .noHost), ("http://:80/", .noHost),
        ("http://me@/", .noHost),
        ("http:\\\\h\\a", .invalidCharacter("\\")), ("http://h\\@evil/", .invalidCharacter("\\")),
        ("http://a b/", .invalidCharacter(" ")), ("http://a@b@c/", .invalidCharacter("@")),
        ("http://us<er@h/", .invalidCharacter("<")), ("http://ü@h/", .invalidCharacter("ü")),
        ("http://a%zz@h/", .invalidCharacter("%")),
        ("http://h%2Fevil/", .invalidHost("h%2Fevil")), ("http://h%40evil/", .invalidHost("h%40evil")),
        ("http://bücher.example/", .invalidHost("bücher.example")), ("http://а.example/", .invalidHost("а.example")),
        ("http://a..b/", .invalidHost("a..b")), ("http://./", .invalidHost(".")), ("http://a,b/", .invalidHost("a,b")),
        ("http://::1/", .invalidHost("::1")), ("http://[::1/", .invalidHost("[::1")),
        ("http://[::1]x/", .invalidHost("[::1]x")),
        ("http://[1::2::3]/", .invalidHost("[1::2::3]")),
        ("http://[fe80::1%25eth0]/", .invalidHost("[fe80::1%25eth0]")),
        ("http://[1:2:3:4:5:6:7]/", .invalidHost("[1:2:3:4:5:6:7]")), ("http://[]/", .invalidHost("[]")),
        ("http://[\u{301}::1]/", .invalidHost("[\u{301}::1]")), ("http://[::1\u{301}]/", .invalidHost("[::1\u{301}]")),
        ("http://[::1.2.3]/", .invalidHost("[::1.2.3]")), ("http://[1.2.3.4::]/", .invalidHost("[1.2.3.4::]")),
        ("http://h:0/", .portOutOfRange("0")), ("http://h:65536/", .portOutOfRange("65536")),
        ("http://h:65536/a@b", .invalidPort("65536")),
        ("http://h:+80/", .invalidPort("+80")),
        ("http://h:99999999999999999999/", .portOutOfRange("99999999999999999999")),
        ("http://h/a\r\nX: y", .controlCharacter), ("http://h/a\tb", .controlCharacter),
        ("http://h/\u{0}", .controlCharacter),
        ("http://h/\u{85}", .controlCharacter), ("\nhttp://h/", .controlCharacter),
    ])
    func `H08 an ambiguous or unsupported URL is refused`(_ text: String, _ expected: HTTPURLError) {
        #expect(throws: expected) { try HTTPURL(parsing: text) }
        #expect(!expected.message.isEmpty)
    }

    @Test(arguments: [
        ("htp://h/a", "Did you mean http?"), ("hxxps://h/a", "Did you mean https?"), ("ftp://h/a", "curl can"),
        ("magnet:?xt=1", "aria2c"), ("s3://bucket/key", "aws s3 presign"), ("gopher://h/", "only https and http"),
        ("http://h:99999/", "99999 is not a port; use a number from 1 to 65535."),
        ("http://user:99999/x@h/", "in a user name or password"),
    ])
    func `an unsupported URL is refused with what would help`(_ text: String, _ words: String) throws {
        let error = try #require(throws: HTTPURLError.self) { try HTTPURL(parsing: text) }
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test(arguments: ["\r", "\n", "\r\nX-Evil: 1", "\t", "\u{0}", "\u{7F}", "\u{85}"])
    func `H08 a control character anywhere in a URL is refused`(_ character: String) throws {
        for url in [
            "http://127.0.0.1/a\(character)b", "http://127.0.0.1\(character)/", "http://127.0.0.1/?q=\(character)x",
            "http://u\(character)@127.0.0.1/",
        ] {
            #expect(throws: HTTPURLError.controlCharacter) { try HTTPURL(parsing: url) }
        }
    }

    @Test func `a URL that is too long before or after its encoding is refused`() throws {
        let start = "http://h/"
        let longest = String(repeating: "a", count: HTTPURL.lengthLimit - start.utf8.count)
        #expect(throws: Never.self) { try HTTPURL(parsing: start + longest) }
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(parsing: start + longest + "a") }
        #expect(throws: HTTPURLError.tooLong) {
            try HTTPURL(parsing: start + String(repeating: " ", count: 6000) + "x")
        }
        let base = try HTTPURL(parsing: start + String(repeating: "a/", count: 6000))
        #expect(throws: HTTPURLError.tooLong) { try base.resolving(String(repeating: "b", count: 6000)) }
    }

    @Test(arguments: [
        "http://me:hun/ter2@h/", "http://me:hun:x/ter2@h/", "http://h\u{202E}x/", "http://me\u{202E}@h/",
    ])
    func `error messages show neither a password nor characters that control a terminal`(_ text: String) throws {
        let error = try #require(throws: HTTPURLError.self) { try HTTPURL(parsing: text) }
        #expect(!error.message.contains("hun"))
        #expect(!error.message.unicodeScalars.contains("\u{202E}"))
    }

    // RFC 3986 §5.4, with "http" as the scheme and without fragments, which are dropped.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"),
        (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://x/y", "https://x/y"),
        ("//g:8080/x", "http://g:8080/x"), ("my file", "http://a/b/c/my%20file"), ("/ä", "http://a/%C3%A4"),
        ("/\\evil.example/x", "http://a/%5Cevil.example/x"),
    ])
    func `a reference is resolved against its base URL`(_ reference: String, _ expected: String) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).serialized == expected)
    }

    @Test(arguments: [
        ("file:///etc/passwd", HTTPURLError.unsupportedScheme("file")), ("ftp://h/", .unsupportedScheme("ftp")),
        ("javascript:alert(1)", .unsupportedScheme("javascript")), ("g:h", .unsupportedScheme("g")),
        ("http:g", .noHost), ("//", .noHost), ("//a%2fb/", .invalidHost("a%2fb")), ("/a\r\nb", .controlCharacter),
    ])
    func `H07 a redirect to another scheme is refused`(_ reference: String, _ expected: HTTPURLError) throws {
        let base = try HTTPURL(parsing: "http://a/b")
        #expect(throws: expected) { try base.resolving(reference) }
    }

    @Test func `H03 userinfo is kept only for references without an authority`() throws {
        let base = try HTTPURL(parsing: "https://me:pw@a/b")
        #expect(try base.resolving("c").userinfo == "me:pw")
        #expect(try base.resolving("//a/c").userinfo == nil)
        #expect(try base.resolving("https://a/c").userinfo == nil)
    }

    @Test(arguments: [
        ("http://a/", "http://A:80/x", true), ("https://a/", "https://a:443/", true),
        ("http://a/", "https://a/", false),
        ("http://a/", "http://a:8080/", false), ("http://a/", "http://b.a/", false), ("http://u@a/", "http://a/", true),
    ])
    func `H03 scheme, host and port identify an origin`(_ left: String, _ right: String, _ same: Bool) throws {
        #expect(try (HTTPURL(parsing: left).origin == HTTPURL(parsing: right).origin) == same)
    }

    @Test(arguments: [
        ("https://me:pw@h/f", "https://h/f"),
        ("https://h/f?token=abc&x=", "https://h/f?token=…&x="),
        ("https://h/f?eyJhbGci", "https://h/f?…"),
        ("https://h/f?a=b=c&&d", "https://h/f?a=…&&…"),
        ("https://[::1]:81/f", "https://[::1]:81/f"),
    ])
    func `H10 secrets are left out of the displayed URL`(_ text: String, _ expected: String) throws {
        #expect(try HTTPURL(parsing: text).redacted == expected)
    }

    @Test(
        arguments: [
            ("X-Amz-Algorithm=A&X-Amz-Signature=s&x=1", true, "x=1"),
            ("x-goog-signature=s", true, nil),
            ("Expires=1&Signature=s&Key-Pair-Id=k&Policy=p", true, nil),
            ("sv=2020&st=a&se=b&sp=r&sig=c", true, "sv=2020"),
            ("st=0123456789abcdefABCDEF&e=1790000000&name=f", true, "name=f"),
            ("md5=0123456789abcdefABCD-_&expires=1790000000", true, nil),
            // An episode, a page, a date: any site uses these words.
            ("st=2&e=5", false, "st=2&e=5"), ("expires=1790000000", false, "expires=1790000000"),
            ("md5=d41d8cd98f00b204e9800998ecf8427e", false, "md5=d41d8cd98f00b204e9800998ecf8427e"),
            ("se=1&sp=2&st=3&e=4&policy=p", false, "se=1&sp=2&st=3&e=4&policy=p"),
            ("X%2DAmz%2DSignature=s", true, nil),
            ("access_token=t&v=2", true, "v=2"),
            ("TOKEN=t", true, nil),
            ("e=3", false, "e=3"), ("e=3&e=4", false, "e=3&e=4"), ("sp=2&page=1", false, "sp=2&page=1"),
            ("signatures=3", false, "signatures=3"), ("q=token", false, "q=token"), ("", false, ""),
        ] as [(String, Bool, String?)])
    func `V18 a signed URL is distinguished from a plain one`(
        _ query: String, _ isSigned: Bool, _ remaining: String?
    ) throws {
        let url = try HTTPURL(parsing: "https://h/f?\(query)")
        #expect(url.isSigned == isSigned)
        #expect(url.hasSecrets == isSigned)
        #expect(url.withoutSecrets.query == remaining)
        #expect(!url.withoutSecrets.hasSecrets)
    }

    @Test(arguments: [
        "X-Amz-Signature=0a", "x-amz-signature=0a&x=1", "Signature=a&Expires=1&Key-Pair-Id=K", "sig=a&se=2026",
        "token=abc",
        "X-Goog-Signature=1", "x-oss-signature=1", "hdnts=exp", "auth_key=1-0-0-a",
        "st=0123456789abcdefABCDEF&e=1790000000", "jwt=a.b.c", "%73ig=a",
    ])
    func `V18 the signatures of the usual stores are recognised`(_ query: String) throws {
        #expect(try HTTPURL(parsing: "https://h/f?\(query)").isSigned)
    }

    @Test(arguments: [
        "page=3", "e=3", "sp=2", "st=2&e=5", "expires=1790000000", "md5=1&se=2&sp=3", "id=sig", "sigma=1", "tokens=2",
    ])
    func `V18 words that only look like a signature make no URL signed`(_ query: String) throws {
        #expect(try !HTTPURL(parsing: "https://h/f?\(query)").isSigned)
        #expect(try !HTTPURL(parsing: "https://h/f").isSigned)
    }

    @Test func `userinfo is a secret, but does not make a URL signed`() throws {
        let url = try HTTPURL(parsing: "https://me@h/f?a=b")
        #expect(url.hasSecrets)
        #expect(!url.isSigned)
        #expect(url.withoutSecrets.userinfo == nil)
        #expect(url.withoutSecrets.query == "a=b")
    }

    @Test(arguments: [
        ("http://h/a/b.iso", "b.iso"), ("http://h/a/", ""), ("http://h", ""), ("http://h/%2e%2e%2f", "../"),
        ("http://h/x/%2Fetc%2Fpasswd", "/etc/passwd"), ("http://h/f;v=1?x=../..", "f;v=1"), ("http://h/50%", "50%"),
    ])
    func `M11 a URL's last path segment is split off before it is decoded`(_ text: String, _ expected: String) throws {
        #expect(try HTTPURL(parsing: text).lastPathSegment == Array(expected.utf8))
    }

    @Test func `no text makes the parser trap, and every parsed URL is written in ASCII and parses to itself`() throws {
        let seeds = [
            "https://me:pw@example.com:8443/a/../b;c?d=e&token=f#g", "http://[2001:db8::1.2.3.4]:80/", "../x?y",
            "//h/p",
        ]
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        for text in ParserFuzz(seeds: seeds) {
            for url in [try? HTTPURL(parsing: text), try? base.resolving(text)] {
                guard let url else { continue }
                // An accepted URL is written in clean ASCII and parses to itself.
                #expect(url.serialized.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                var readBack = try HTTPURL(parsing: url.serialized)
                readBack.userinfo = url.userinfo
                #expect(readBack == url)
                #expect(!url.withoutSecrets.hasSecrets)
                #expect(!url.redacted.isEmpty)
            }
        }
    }
}
