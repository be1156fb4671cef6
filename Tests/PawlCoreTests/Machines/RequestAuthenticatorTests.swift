import Testing

@testable import PawlCore

@Suite("Authentication and cookies that a authenticator sends to servers")
struct RequestAuthenticatorTests {
    private let url = try! HTTPURL(parsing: "https://www.example.com/file.bin")
    private let secret = OriginCredentials.password(Credentials(name: "name", password: "secret"))
    private let challenge = ResponseHead(
        status: 401,
        fields: [HTTPField("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")])

    private func authenticator(seed: UInt64 = 1) -> RequestAuthenticator {
        var settings = DownloadSettings(url: url)
        settings.seed = seed
        return RequestAuthenticator(of: settings) { algorithm, bytes in
            Array("\(algorithm.rawValue)\(bytes.count)".utf8)
        }
    }

    private func cookie(_ text: String) -> ResponseHead {
        ResponseHead(status: 200, fields: [HTTPField("Set-Cookie", text)])
    }

    @Test func `only a 401 is a challenge, and it is answered only if there is a secret`() {
        var authenticator = authenticator()
        let verdicts = [
            authenticator.judge(ResponseHead(status: 200, fields: []), at: url, after: .none, with: secret),
            authenticator.judge(challenge, at: url, after: .none, with: nil),
            authenticator.judge(challenge, at: url, after: .none, with: secret),
        ]
        #expect(verdicts == [nil, .denied(.nothingGiven(schemes: ["Digest"])), .askAgain])
        let proof = authenticator.authorization(for: url, with: secret).proof
        #expect(proof == .digest(nonce: "n"))
    }

    @Test func `the client nonce derives from the seed and differs between challenges`() throws {
        func answers(_ seed: UInt64) throws -> [String] {
            var authenticator = authenticator(seed: seed)
            return try (0..<2).map { _ in
                _ = authenticator.judge(challenge, at: url, after: .none, with: secret)
                let field = authenticator.authorization(for: url, with: secret).field
                return try #require(field?.value)
            }
        }
        let (first, again, other) = (try answers(1), try answers(1), try answers(2))
        #expect(first == again && first[0] != first[1] && first[0] != other[0])
    }

    @Test func `cookie lines are passed on only if they change what is sent back`() {
        var authenticator = authenticator()
        let stored = [cookie("a=1"), cookie("a=1"), cookie("a=2"), ResponseHead(status: 200, fields: [])].map {
            authenticator.storeCookies(of: $0, from: url, wallClock: 0)
        }
        #expect(stored == [["a=1"], nil, ["a=2"], nil])
        #expect(authenticator.cookies.value(for: url, wallClock: 0) == "a=2")
    }

    @Test func `the jar shared by all downloads replaces the authenticator's own`() {
        var authenticator = authenticator()
        _ = authenticator.storeCookies(of: cookie("a=1"), from: url, wallClock: 0)
        authenticator.replaceCookies(by: CookieJar())
        #expect(authenticator.cookies.value(for: url, wallClock: 0) == nil)
    }

    @Test func `with a list of public suffixes, a cookie for a public suffix is refused`() throws {
        var authenticator = authenticator()
        authenticator.use(PublicSuffixList(parsing: "com\nexample.com\n"))
        let stored = authenticator.storeCookies(of: cookie("a=1; Domain=example.com"), from: url, wallClock: 0)
        #expect(stored == nil)
    }
}
