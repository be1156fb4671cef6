import PawlCore
import Testing

@testable import PawlEngine

@Suite("Secrets that were sent to a server are cut out of its texts") struct SentSecretsTests {
    private static func secrets(
        _ fields: [(String, String)], url: String = "https://h.example/dir/f.zip"
    ) throws -> SentSecrets {
        SentSecrets(TransportRequest(url: try HTTPURL(parsing: url), fields: fields.map { HTTPField($0.0, $0.1) }))
    }

    @Test(arguments: [
        ("X-Token", "12345678", "12345678"), ("Authorization", "Bearer abcdef", "abcdef"),
        ("Cookie", "a=longvalue", "longvalue"),
        ("Authorization", "Basic " + Base64.encode(Array("name:ab=cd=ef:gh".utf8)), "ab=cd=ef:gh"),
        (
            "Authorization", "Digest username=\"somebody\", uri=\"/dir/f.zip\", response=\"0123456789abcdef\"",
            "0123456789abcdef"
        ),
        ("Referer", "https://user:password@h.example/?key=confidential", "confidential"),
    ])
    func `a secret is removed from text`(name: String, value: String, secret: String) throws {
        let text = try Self.secrets([(name, value)]).removed(from: "before \(secret) after")
        #expect(text == "before … after")
    }

    @Test(arguments: [
        (
            "Authorization",
            "Digest username=\"somebody\", realm=\"h.example\", uri=\"/dir/f.zip\", algorithm=SHA-256, qop=auth, nc=00000001"
        ),
        ("Authorization", "Bearer abcdefgh"), ("Referer", "https://h.example/dir/f.zip"),
        ("User-Agent", "https://h.example"),
    ])
    func `public values are left in text`(name: String, value: String) throws {
        let text = "GET https://h.example/dir/f.zip: Digest, Bearer, username, response and algorithm; 00000001"
        #expect(try Self.secrets([(name, value)]).removed(from: text) == text)
    }

    @Test func `a URL's user name, password and token are removed from text`() throws {
        let secrets = try Self.secrets([], url: "https://somebody:pass%2Cword@h.example/?token=abcdef")
        #expect(secrets.removed(from: "somebody pass%2Cword pass,word abcdef") == "… … … …")
    }

    @Test(arguments: [
        ("before confidential", "before …"), ("before confide", "before …"), ("before conf", "before conf"),
        ("confidential, con", "…, con"), ("", ""),
    ])
    func `the beginning of a secret at the end of a text that is cut off is removed`(
        _ text: String, _ rest: String
    )
        throws
    {
        #expect(try Self.secrets([("X-Token", "confidential")]).removed(fromCut: text) == rest)
    }
}
