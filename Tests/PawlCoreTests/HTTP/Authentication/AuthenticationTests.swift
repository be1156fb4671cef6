import PawlCore
import Testing

/// Challenges of servers, and the answers to them. `DigestAuthTests` checks the digests themselves, with real hash
/// functions.
@Suite struct AuthenticationTests {
    static let url = fixedURL("https://files.example/a")

    static func fixedURL(_ text: String) -> HTTPURL {
        guard let url = try? HTTPURL(parsing: text) else { preconditionFailure(text) }
        return url
    }

    // MARK: Challenges

    @Test(
        arguments: [
            (#"Basic realm="simple""#, [AuthChallenge(scheme: "basic", parameters: ["realm": "simple"])]),
            ("Negotiate", [AuthChallenge(scheme: "negotiate")]),
            ("NTLM TlRMTVNTUAAC==", [AuthChallenge(scheme: "ntlm", token68: "TlRMTVNTUAAC==")]),
            ("Negotiate, NTLM", [AuthChallenge(scheme: "negotiate"), AuthChallenge(scheme: "ntlm")]),
            (
                #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
                [
                    AuthChallenge(
                        scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
                    AuthChallenge(scheme: "basic", parameters: ["realm": "simple"]),
                ]
            ),
            (
                #" , ,digest  Realm = "a, b" ,, nonce=abc/+==,qop="auth,auth-int" , Basic realm=x"#,
                [
                    AuthChallenge(
                        scheme: "digest", parameters: ["realm": "a, b", "nonce": "abc/+==", "qop": "auth,auth-int"]),
                    AuthChallenge(scheme: "basic", parameters: ["realm": "x"]),
                ]
            ),
            (#"Basic realm="one", realm="two""#, [AuthChallenge(scheme: "basic", parameters: ["realm": "one"])]),
            (#"Basic realm="never ends"#, [AuthChallenge(scheme: "basic")]),
            ("", []), (",,,", []), ("=x", []), ("\"quoted\"", []),
        ] as [(String, [AuthChallenge])])
    func `a list of challenges is split where the grammar splits it`(_ value: String, _ expected: [AuthChallenge]) {
        #expect(AuthChallenge.parse([value]) == expected)
    }

    @Test func `each line of challenges is parsed by itself, and their number is limited`() {
        #expect(AuthChallenge.parse(["Basic realm=\"never", "Digest nonce=1"]).map(\.scheme) == ["basic", "digest"])
        let many = (0..<1000).map { "S\($0) a=b" }.joined(separator: ", ")
        #expect(AuthChallenge.parse([many]).count == 32)
    }

    // MARK: Choosing

    static let hash: DigestAuth.Hash = { algorithm, bytes in Array("\(algorithm.rawValue)\(bytes.count)".utf8) }
    static let password = OriginCredentials.password(Credentials(name: "me", password: "secret"))

    static func challenge(_ values: String...) -> ResponseHead {
        ResponseHead(status: 401, fields: values.map { HTTPField("WWW-Authenticate", $0) })
    }

    static func nonce(_ nonce: String, stale: Bool = false) -> ResponseHead {
        challenge(
            "Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\"\(nonce)\"" + (stale ? ", stale=true" : ""))
    }

    @Test
    func
        `Basic credentials are sent with the first request, and after a Digest challenge the password is no longer sent`()
    {
        var authenticator = Authenticator(hash: Self.hash)
        let first = authenticator.authorization(for: Self.url, with: Self.password)
        #expect(first.field == HTTPField("Authorization", "Basic bWU6c2VjcmV0") && first.proof == .basic)
        let weak = "Digest realm=\"r\", nonce=\"w\", algorithm=MD5"
        let verdict = authenticator.challenged(
            by: Self.challenge(weak, "Digest realm=\"r\", nonce=\"s\", algorithm=SHA-256"), at: Self.url, after: .basic,
            with: Self.password, clientNonce: "c")
        #expect(verdict == .askAgain)
        let second = authenticator.authorization(for: Self.url, with: Self.password)
        #expect(second.proof == .digest(nonce: "s"), "the strongest")
        #expect(second.field?.value.hasPrefix("Digest username=\"me\", realm=\"r\", nonce=\"s\", uri=\"/a\"") == true)
    }

    @Test func `with only Digest allowed, nothing is sent before a challenge`() {
        var authenticator = Authenticator(hash: Self.hash, allowsOnlyDigest: true)
        let silent = authenticator.authorization(for: Self.url, with: Self.password)
        #expect(silent.field == nil)
        let verdict = authenticator.challenged(
            by: Self.challenge("Basic realm=x"), at: Self.url, after: .none, with: Self.password, clientNonce: "c")
        #expect(verdict == .denied(.noCommonScheme(schemes: ["Basic"])))
    }

    @Test(arguments: [
        ("Digest realm=x, nonce=n, algorithm=SHA-512-256", "Digest with SHA-512-256"),
        ("Digest realm=x, nonce=n, algorithm=\"SHA-512-256-sess\"", "Digest with SHA-512-256-sess"),
        ("Digest realm=x, nonce=n, algorithm=\"SHA 3\"", "Digest"), ("Digest realm=x, algorithm=SHA-256", "Digest"),
    ])
    func `an unsupported Digest challenge is denied, and an unsupported algorithm is named`(
        challenge: String, scheme: String
    ) {
        var authenticator = Authenticator(hash: Self.hash)
        let verdict = authenticator.challenged(
            by: Self.challenge(challenge), at: Self.url, after: .basic, with: Self.password, clientNonce: "c")
        #expect(verdict == .denied(.noCommonScheme(schemes: [scheme])))
    }

    @Test func `a Digest challenge that this system cannot compute is denied, and not for its scheme`() {
        var authenticator = Authenticator(hash: { _, _ in nil })
        let verdict = authenticator.challenged(
            by: Self.challenge("Digest realm=r, nonce=n"), at: Self.url, after: .basic, with: Self.password,
            clientNonce: "c")
        #expect(verdict == .denied(.noDigestFunction))
    }

    @Test func `wrong credentials are denied after one answer, with every scheme`() {
        var authenticator = Authenticator(hash: Self.hash)
        func verdict(
            _ head: ResponseHead, after proof: Authenticator.Proof, _ secret: OriginCredentials?
        ) -> Authenticator.Verdict {
            authenticator.challenged(by: head, at: Self.url, after: proof, with: secret, clientNonce: "c")
        }
        let basic = verdict(Self.challenge("Basic realm=x"), after: .basic, Self.password)
        #expect(basic == .denied(.wrongPassword))
        // Refused as Basic, the password may still be right for Digest.
        let either = verdict(Self.challenge("Basic realm=x, Digest realm=x, nonce=0"), after: .basic, Self.password)
        #expect(either == .askAgain)
        let neither = verdict(
            Self.challenge("Basic realm=x, Digest realm=x, nonce=0"), after: .digest(nonce: "0"), Self.password)
        #expect(neither == .denied(.wrongPassword))
        let first = verdict(Self.nonce("1"), after: .none, Self.password)
        #expect(first == .askAgain)
        let second = verdict(Self.nonce("2"), after: .digest(nonce: "1"), Self.password)
        #expect(second == .denied(.wrongPassword))
        let token = verdict(Self.challenge("Bearer"), after: .bearer, BearerToken("t").map(OriginCredentials.bearer))
        #expect(token == .denied(.wrongToken))
        let nothing = verdict(Self.challenge("Basic realm=x, Negotiate"), after: .none, nil)
        #expect(nothing == .denied(.nothingGiven(schemes: ["Basic", "Negotiate"])))
    }

    @Test func `a stale nonce is replaced, and a server whose nonces are always stale is denied`() {
        var authenticator = Authenticator(hash: Self.hash)
        var proof = Authenticator.Proof.none
        var asked = 0
        while authenticator.challenged(
            by: Self.nonce("\(asked)", stale: true), at: Self.url, after: proof, with: Self.password, clientNonce: "c")
            == .askAgain
        {
            asked += 1
            proof = authenticator.authorization(for: Self.url, with: Self.password).proof
            #expect(proof == .digest(nonce: "\(asked - 1)"))
            guard asked < 100 else { break }
        }
        #expect(asked == 4)
    }

    @Test
    func `connections share a nonce and count its uses, and a connection with an old nonce switches to the newer one`()
        throws
    {
        var authenticator = Authenticator(hash: Self.hash)
        func count(_ field: HTTPField?) -> String? {
            AuthChallenge.parse([field?.value ?? ""]).first?.parameters["nc"]
        }
        _ = authenticator.challenged(
            by: Self.nonce("1"), at: Self.url, after: .none, with: Self.password, clientNonce: "c")
        let counts = (1...3).map { _ in count(authenticator.authorization(for: Self.url, with: Self.password).field) }
        #expect(counts == ["00000001", "00000002", "00000003"])
        let info = ResponseHead(
            status: 206, fields: [HTTPField("Authentication-Info", "rspauth=\"x\", nextnonce=\"2\"")])
        authenticator.accepted(info, at: Self.url, after: .digest(nonce: "1"), clientNonce: "d")
        let next = authenticator.authorization(for: Self.url, with: Self.password)
        #expect(next.proof == .digest(nonce: "2") && count(next.field) == "00000001")
        // A request that was under way with the first nonce is not refused for good.
        let late = authenticator.challenged(
            by: Self.nonce("3"), at: Self.url, after: .digest(nonce: "1"), with: Self.password, clientNonce: "c")
        let current = authenticator.authorization(for: Self.url, with: Self.password)
        #expect(late == .askAgain && current.proof == .digest(nonce: "2"))
        // A working nonce refused without `stale`: some servers let a nonce expire like this.
        let expired = authenticator.challenged(
            by: Self.nonce("4"), at: Self.url, after: .digest(nonce: "2"), with: Self.password, clientNonce: "c")
        #expect(expired == .askAgain)
    }

    @Test(arguments: [
        "Digest realm=r, nonce=n, algorithm=SHA-512-256", "Digest realm=r, nonce=n, qop=token", "Digest nonce=n",
        "Digest realm=r",
    ])
    func `a Digest challenge that cannot be answered is ignored`(_ value: String) {
        #expect(DigestAuth.strongest(of: AuthChallenge.parse([value]), clientNonce: "c", hash: { _, _ in [0] }) == nil)
    }

    @Test func `a Digest challenge whose function this system refuses is not chosen`() {
        let both = AuthChallenge.parse([
            "Digest realm=r, nonce=n, algorithm=SHA-256", "Digest realm=r, nonce=n, algorithm=MD5",
        ])
        func chosen(refusing refused: [DigestAlgorithm]) -> String? {
            let hash: DigestAuth.Hash = { algorithm, _ in refused.contains(algorithm) ? nil : [0] }
            var digest = DigestAuth.strongest(of: both, clientNonce: "c", hash: hash)
            return digest?.answer(Credentials(name: "me", password: "p"), method: "GET", target: "/", hash: hash)
        }
        #expect(chosen(refusing: [])?.contains("algorithm=SHA-256") == true)
        #expect(chosen(refusing: [.sha256])?.contains("algorithm=MD5") == true)
        #expect(chosen(refusing: [.md5])?.contains("algorithm=SHA-256") == true)
        #expect(chosen(refusing: [.md5, .sha256]) == nil)
    }

    // MARK: Where secrets are sent

    @Test func `credentials go to their origin only, and a netrc entry to its host`() throws {
        var settings = DownloadSettings(url: Self.fixedURL("https://files.example/a"))
        settings.credentials = Credentials(name: "me", password: "p")
        settings.netrc = try Netrc(
            parsing:
                "machine cdn.example login cdn password c machine files.example login n password m default login d password e"
        )
        func name(_ url: String) -> String? {
            guard case .password(let found) = settings.secret(for: Self.fixedURL(url)) else { return nil }
            return found.name
        }
        #expect(name("https://files.example/b") == "me")
        #expect(name("https://files.example:444/b") == "n", "another origin, and the host's own entry")
        #expect(name("http://files.example/b") == nil, "in clear text, though https was asked for")
        #expect(name("https://cdn.example/b") == "cdn")
        #expect(name("https://eve@other.example/b") == nil, "neither the default nor what a redirect says")
        settings.url = Self.fixedURL("https://own:word@files.example/a")
        #expect(name("https://files.example/b") == "own")
        settings.url = Self.fixedURL("https://n@files.example/a")
        #expect(
            settings.secret(for: settings.url) == .password(Credentials(name: "n", password: "m")),
            "the password of that user")
        settings.bearerToken = BearerToken("token")
        #expect(settings.secret(for: settings.url) == BearerToken("token").map(OriginCredentials.bearer))
        #expect(name("https://cdn.example/b") == "cdn")
        settings.callerFields = [HTTPField("authorization", "own")]
        #expect(settings.secret(for: settings.url) == nil)
        settings = DownloadSettings(url: Self.fixedURL("http://unknown.example/a"))
        settings.netrc = try Netrc(parsing: "default login d password e")
        #expect(name("http://unknown.example/x") == "d")
        #expect(name("http://elsewhere.example/x") == nil)
    }

    @Test func `printing settings shows no secret`() throws {
        var settings = DownloadSettings(url: Self.url)
        settings.credentials = Credentials(name: "me", password: "sesame")
        settings.bearerToken = BearerToken("sesame")
        settings.netrc = try Netrc(parsing: "machine a login b password sesame")
        var text = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &text)
        #expect(!text.contains("sesame"))
    }

    @Test(
        arguments: [
            ("https://a.example/page?x=1", "https://files.example/f", "https://a.example/page?x=1"),
            ("https://a.example/page", "https://other.example/f", "https://a.example/"),
            ("https://other.example/page", "https://other.example/f", "https://other.example/page"),
            ("https://a.example/page", "http://other.example/f", nil),
            ("http://a.example/page", "https://other.example/f", "http://a.example/"),
        ] as [(String, String, String?)])
    func `the Referer is sent in full to its own origin and the requested one, and otherwise shortened or omitted`(
        _ page: String, _ target: String, _ sent: String?
    ) {
        let found = RedirectPolicy.referer(
            Self.fixedURL(page), from: Self.fixedURL("https://files.example/f"), to: Self.fixedURL(target))
        #expect(found == sent)
    }
}
