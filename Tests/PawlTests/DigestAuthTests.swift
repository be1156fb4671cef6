@testable import Pawl
import PawlCore
import Testing

/// The examples of RFC 7616 and RFC 2617, and the other elements of a response.
@Suite struct DigestAuthTests {
    static let hash: DigestAuth.Hash = { algorithm, bytes in SystemDigests().digest(algorithm, of: bytes) }

    private static func response(
        _ challenge: String, _ credentials: Credentials, target: String, clientNonce: String, count: Int = 1
    ) throws -> AuthChallenge {
        var digest = try #require(
            DigestAuth.strongest(of: AuthChallenge.parse([challenge]), clientNonce: clientNonce, hash: hash))
        var answer = ""
        for _ in 0..<count { answer = digest.answer(credentials, method: "GET", target: target, hash: hash) }
        return try #require(AuthChallenge.parse([answer]).first)
    }

    static let mufasa = Credentials(name: "Mufasa", password: "Circle of Life")
    static let rfc7616 =
        #"realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the examples of RFC 7616 §3.9.1 give the same responses`(_ algorithm: String, _ response: String) throws {
        let answer = try Self.response(
            "Digest \(Self.rfc7616), algorithm=\(algorithm)", Self.mufasa, target: "/dir/index.html",
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            answer.parameters == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm,
                "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001", "qop": "auth",
                "response": response,
                "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
                "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            ])
    }

    @Test func `the example of RFC 2617 §3.5, without an algorithm, gives the same response`() throws {
        let answer = try Self.response(
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
            Credentials(name: "Mufasa", password: "Circle Of Life"), target: "/dir/index.html", clientNonce: "0a4f113b")
        #expect(answer.parameters["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(answer.parameters["algorithm"] == nil)
    }

    @Test func `without qop the response is that of RFC 2069`() throws {
        let answer = try Self.response(
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#,
            Credentials(name: "Mufasa", password: "CircleOfLife"), target: "/dir/index.html", clientNonce: "x")
        // The value from the erratum to RFC 2069 §2.4.
        #expect(answer.parameters["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(answer.parameters["nc"] == nil && answer.parameters["qop"] == nil && answer.parameters["cnonce"] == nil)
    }

    @Test func `the response is computed for each use of a nonce, and for a session with its first client nonce`()
        throws
    {
        func h(_ text: String) -> String { SHA256.hash(Array(text.utf8)).hexadecimal }
        let first = h("\(h("me:r:p")):n:c")
        let answer = try Self.response(
            "Digest realm=r, nonce=n, qop=auth-int, algorithm=SHA-256-sess", Credentials(name: "me", password: "p"),
            target: "/x?y", clientNonce: "c",
            count: 16)
        #expect(answer.parameters["nc"] == "00000010")
        #expect(answer.parameters["response"] == h("\(first):n:00000010:c:auth-int:\(h("GET:/x?y:\(h(""))"))"))
        let weak = try Self.response(
            "Digest realm=r, nonce=n, algorithm=MD5-sess", Credentials(name: "me", password: "p"), target: "/",
            clientNonce: "c")
        #expect(weak.parameters["cnonce"] == "c", "without it the server could not know the session")
    }

    @Test func `a user name is hashed on request, and escaped if it is not ASCII`() throws {
        let user = Credentials(name: "Jäsøn Doe", password: "Secret, or not?")
        let hashed = try Self.response(
            "Digest realm=r, nonce=n, qop=auth, algorithm=SHA-256, charset=UTF-8, userhash=true", user, target: "/",
            clientNonce: "c")
        #expect(hashed.parameters["username"] == SHA256.hash(Array("Jäsøn Doe:r".utf8)).hexadecimal)
        #expect(hashed.parameters["userhash"] == "true")
        let escaped = try Self.response(
            "Digest realm=r, nonce=n, qop=auth, charset=UTF-8", user, target: "/", clientNonce: "c")
        #expect(
            escaped.parameters["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe" && escaped.parameters["username"] == nil)
        let quoted = try Self.response(
            #"Digest realm="a\"b", nonce=n"#, Credentials(name: #"q"\"#, password: ""), target: "/", clientNonce: "c")
        #expect(quoted.parameters["username"] == #"q"\"# && quoted.parameters["realm"] == #"a"b"#)
    }

    @Test(arguments: ["\r\n", "\u{0}", "\n"])
    func `a control character in a name never reaches a header field unescaped`(_ character: String) throws {
        var digest = try #require(
            DigestAuth.strongest(
                of: AuthChallenge.parse(["Digest realm=r, nonce=n"]), clientNonce: "c", hash: Self.hash))
        let answer = digest.answer(
            Credentials(name: "a\(character)b", password: "\(character)"), method: "GET", target: "/", hash: Self.hash)
        #expect(!answer.utf8.contains { $0 < 0x20 })
        var settings = DownloadRequest("http://a.example/", to: "x")
        settings.authentication = .password(name: "a\(character)b", .value("p"))
        #expect(throws: DownloadError.self) { try settings.resolved() }
    }

    @Test(arguments: ["", "two words", "a\nb", "a\r", "é"])
    func `a bearer token that is invalid in a header field is refused`(_ token: String) {
        var request = DownloadRequest("http://a.example/", to: "x")
        request.authentication = .bearer(.value(token))
        let error = #expect(throws: DownloadError.self) { try request.resolved() }
        #expect(error?.code == .invalidArgument && (token.isEmpty || error?.message.contains(token) == false))
    }
}
