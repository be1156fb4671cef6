import PawlCore
import Testing

@Suite struct RedirectPolicyTests {
    private let policy = RedirectPolicy(allowsInsecure: false)

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/y?z", true), ("https://a.example/x", "https://A.EXAMPLE:443/", true),
        ("https://a.example/x", "https://a.example:8443/x", false),
        ("https://a.example/x", "http://a.example/x", false),
        ("https://a.example/x", "https://b.a.example/x", false),
        ("https://b.a.example/x", "https://a.example/x", false),
        ("https://a.example/x", "https://a.example.evil/x", false), ("http://[::1]/", "http://[::1]:80/", true),
    ])
    func `H03 the caller's fields are sent only to the origin that they were given for: the same scheme, host and port`(
        _ given: String, _ target: String, _ areKept: Bool
    ) throws {
        let fields = [HTTPField("Authorization", "Bearer secret"), HTTPField("Cookie", "a=b"), HTTPField("X-Own", "1")]
        let sent = RedirectPolicy.fields(fields, given: try HTTPURL(parsing: given), to: try HTTPURL(parsing: target))
        #expect(sent == (areKept ? fields : []))
    }

    @Test func `H05 a redirect to itself or to an earlier URL is a loop`() throws {
        let url = try HTTPURL(parsing: "http://a.example/1")
        let earlier = try HTTPURL(parsing: "http://a.example/0")
        #expect(code("/1", from: url) == .redirect)
        #expect(code("http://a.example/0", from: url, visited: [earlier]) == .redirect)
        #expect(code("http://a.example/0", from: url) == nil)
    }

    @Test func `H05 twenty redirects are followed, but not one more`() throws {
        var visited: [HTTPURL] = []
        var url = try HTTPURL(parsing: "http://a.example/0")
        for number in 1...20 {
            let next = try policy.target(of: "/\(number)", from: url, visited: visited)
            visited.append(url)
            url = next
        }
        #expect(url.path == "/20")
        #expect(code("/21", from: url, visited: visited) == .redirect)
    }

    @Test func `H06 a redirect from https to http is followed only if allowed`() throws {
        let secure = try HTTPURL(parsing: "https://a.example/x")
        #expect(code("http://a.example/x", from: secure) == .redirect)
        let lenient = RedirectPolicy(allowsInsecure: true)
        #expect(try lenient.target(of: "http://a.example/x", from: secure, visited: []).scheme == .http)
        let plain = try HTTPURL(parsing: "http://a.example/x")
        #expect(try policy.target(of: "https://a.example/x", from: plain, visited: []).scheme == .https)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a.example/x", "data:text/plain,x", "gopher://a.example/", "javascript:alert(1)",
        "FILE:/etc/passwd", "unix:/run/x", "mailto:a@example.org", "blob:x", "ws://127.0.0.1/x", "https://",
    ])
    func `H07 only redirects to http and https are followed`(_ location: String) throws {
        #expect(code(location, from: try HTTPURL(parsing: "http://a.example/x")) == .redirect)
    }

    @Test(arguments: [
        "http://127.0.0.1%2F.example/x", "http://127.0.0.1\\@evil.example/x", "http://a.example\\@b.example/",
        "http://evil.example\\x/y",
        "http://a b/x", "http://[::1/x", "http://[fe80::1%25eth0]/x", "http://user@evil@127.0.0.1/x",
        "http://127.0.0.1:99999/x",
        "http://127.0.0.1:8a/x", "http://b\u{FC}cher.example/x", "http://\u{0430}pple.example/x",
        "http://127.0.0.1\t/x",
        "http://exa%6Dple.example/x", "http:///x", "//", "http://",
    ])
    func `H08 a malformed or misleading host is refused, in a Location as well as from the user`(_ url: String) throws {
        #expect(throws: HTTPURLError.self) { try HTTPURL(parsing: url) }
        #expect(code(url, from: try HTTPURL(parsing: "http://a.example/x")) == .redirect)
    }

    @Test(arguments: [
        ("/y", "http://a.example/y"), ("y", "http://a.example/d/y"), ("?q", "http://a.example/d/x?q"),
        ("//b.example/z", "http://b.example/z"), ("../../../z", "http://a.example/z"),
    ])
    func `a relative Location is resolved against the URL that answered`(_ location: String, _ expected: String) throws
    {
        let from = try HTTPURL(parsing: "http://a.example/d/x")
        #expect(try policy.target(of: location, from: from, visited: []).serialized == expected)
    }

    @Test func `H10 the message of a refused redirect shows no secret`() throws {
        let from = try HTTPURL(parsing: "https://user:pass@a.example/x?token=abc")
        do throws(DownloadError) {
            _ = try policy.target(of: "http://b.example/?sig=def", from: from, visited: [])
            Issue.record("followed")
        } catch {
            for secret in ["pass", "abc", "def"] { #expect(!error.message.contains(secret)) }
            #expect(error.recovery == .giveUp)
        }
    }

    /// The error's code; nil if the redirect is followed.
    private func code(_ location: String, from: HTTPURL, visited: [HTTPURL] = []) -> DownloadError.Code? {
        do throws(DownloadError) {
            _ = try policy.target(of: location, from: from, visited: visited)
            return nil
        } catch {
            return error.code
        }
    }
}
