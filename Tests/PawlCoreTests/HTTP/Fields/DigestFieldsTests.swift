import PawlCore
import Testing

@Suite struct DigestFieldsTests {
    // SHA-256, SHA-512 and MD5 of "hello world".
    static let sha256 = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek="
    static let sha256Hex = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    static let sha512 = "MJ7MSJwS1utMxA9QyQLytNDtd+5RGnx6m808qG1M2G+YndNbxf9JlnDaNCVbRbDP2DDoH2Bdz33FVC6TrpzXbw=="
    static let md5 = "XrY7u+Ae7tCTyyK7j1rNww=="

    @Test(
        arguments: [
            ([], []), ([""], []),
            (["sha-256=:\(sha256):"], [.sha256]),
            (["md5=:\(md5):, sha-256=:\(sha256):, sha-512=:\(sha512):"], [.sha512, .sha256, .md5]),
            (["sha-256=:\(sha256):", "sha-512=:\(sha512):"], [.sha512, .sha256]),
            (["sha-256=:\(sha256.dropLast()):"], [.sha256]),
            (["unixsum=:AAA=:, x=1, y=(a \"b\";c=?1 2.5), z, sha-256=:\(sha256):;note=\"q\\\"\""], [.sha256]),
            (["sha-256=1, sha-256=:\(sha256):"], [.sha256]), (["sha-256=:\(sha256):, sha-256=1"], []),
            (["sha-256=:AAAA:"], []), (["sha-256=\"\(sha256)\""], []),
            (["sha=:qvTGHdzF6KLavt4PO0gs2a6pQ00=:"], [.sha1]),
        ] as [([String], [DigestAlgorithm])])
    func `Repr-Digest fields yield their known digests, strongest first`(
        _ values: [String], _ expected: [DigestAlgorithm]
    ) {
        #expect(DigestFields.parse(values).map(\.algorithm) == expected)
    }

    @Test func `the value of a Repr-Digest is decoded from Base64`() throws {
        #expect(try #require(DigestFields.parse(["sha-256=:\(Self.sha256):"]).first).hex == Self.sha256Hex)
    }

    @Test(arguments: [
        "sha-512=:!!:", "sha-512=:AAAA", "sha-512=AAAA==", "SHA-512=:AAAA:", "a=", "a=1,", "a,,b", "a b", "a=1 2",
        "a=\"x",
        "a=?2", "a=(1 2", "a=1.",
        "a=1234567890123456", "a=-", "a=(1\t2)", "a=:A:", "a=:A===:", "a;B", "a;b=", "=1", "a=\"\\x\"",
    ])
    func `a malformed member invalidates the whole field`(_ member: String) {
        #expect(DigestFields.parse(["\(member), sha-256=:\(Self.sha256):"]).isEmpty)
        #expect(DigestFields.parse(["sha-256=:\(Self.sha256):, \(member)"]).isEmpty)
    }

    @Test(
        arguments: [
            ("", []), ("Zg==", [0x66]), ("Zg", [0x66]), ("Zm8=", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]),
            ("+/+/", [0xFB, 0xFF, 0xBF]),
            ("Zh==", [0x66]), ("Z", nil), ("Zg=", nil), ("Zm9v=", nil), ("Zm9v====", nil), ("Z=g=", nil), ("-_-_", nil),
            ("Zm 9v", nil), ("=", nil),
        ] as [(String, [UInt8]?)])
    func `Base64 decoding is strict about the alphabet`(_ text: String, _ expected: [UInt8]?) {
        #expect(Base64.decode(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("sha-256", DigestAlgorithm.sha256), ("SHA256", .sha256), ("Sha-512", .sha512), ("sha512", .sha512),
            ("sha", .sha1),
            ("SHA-1", .sha1),
            ("sha1", .sha1), ("MD5", .md5), ("md-5", nil), ("sha-384", nil), ("", nil),
        ] as [(String, DigestAlgorithm?)])
    func `each digest algorithm is recognised by all its names`(_ name: String, _ expected: DigestAlgorithm?) {
        #expect(DigestAlgorithm(name: name) == expected)
    }

    @Test func `only SHA-256 and SHA-512 are secure`() {
        #expect(DigestAlgorithm.allCases.filter(\.isSecure) == [.sha512, .sha256])
    }

    @Test(arguments: ["sha-256:\(sha256Hex)", "SHA256:\(sha256Hex.uppercased())"])
    func `a written digest parses to the same digest`(_ text: String) throws {
        let digest = try Digest(parsing: text)
        #expect(digest.algorithm == .sha256)
        #expect(digest.description == "sha-256:\(Self.sha256Hex)")
        #expect(try Digest(parsing: digest.description) == digest)
    }

    @Test(arguments: [
        "", "abc", "sha-256", "sha-256:", "sha-256:zz", "sha-256:\(sha256Hex)0", "sha-256:\(sha256Hex)00",
        "sha-512:\(sha256Hex)", "crc32:00",
        ":\(sha256Hex)", "sha-256: \(sha256Hex)",
    ])
    func `a malformed digest is refused with a message`(_ text: String) throws {
        let error = try #require(throws: DigestParseError.self) { try Digest(parsing: text) }
        #expect(!error.message.isEmpty)
    }

    @Test func `a digest has exactly as many bytes as its algorithm requires`() {
        #expect(Digest(algorithm: .md5, bytes: Array(repeating: 0, count: 15)) == nil)
        #expect(
            Digest(algorithm: .md5, bytes: Array(repeating: 0, count: 16))?.hex == String(repeating: "00", count: 16))
    }

    @Test func `no text makes the parsers trap or gives a digest of the wrong length`() {
        let field = "sha-256=:\(Self.sha256):;a=1, b=(1 \"x\" tok), c=?0, d=-1.5"
        for text in ParserFuzz(seeds: [field, "sha-256:\(Self.sha256Hex)", "md5=:\(Self.md5):"]) {
            for digest in DigestFields.parse([text]) { #expect(digest.bytes.count == digest.algorithm.byteCount) }
            if let digest = try? Digest(parsing: text) {
                #expect(digest.hex.utf8.count == digest.algorithm.byteCount * 2)
            }
        }
    }
}

@Suite struct InstanceDigestTests {
    private static let sha256 = DigestFieldsTests.sha256
    private static let md5 = DigestFieldsTests.md5

    @Test(
        arguments: [
            ([], []), (["SHA-256=\(sha256)"], [.sha256]), (["sha-256=\(sha256)"], [.sha256]),
            (["md5=\(md5),SHA-256=\(sha256)"], [.sha256, .md5]),
            (["MD5=\(md5)", " SHA-256=\(sha256) "], [.sha256, .md5]),
            (["unixsum=30637, MD5=\(md5), adler32=03da0195"], [.md5]), (["SHA=qvTGHdzF6KLavt4PO0gs2a6pQ00="], [.sha1]),
            // Invalid members, which spoil only themselves.
            (["SHA-256=AAAA, MD5=\(md5)"], [.md5]), (["SHA-256, =, ,,MD5=\(md5)"], [.md5]),
            (["SHA-256=!, MD5=\(md5)"], [.md5]),
            // Equal digests count once; contradictory ones do not count.
            (["MD5=\(md5), md5=\(md5)"], [.md5]), (["MD5=\(md5), MD5=AAAAAAAAAAAAAAAAAAAAAA=="], []),
            // The syntax of the new fields is not valid in the old one.
            (["sha-256=:\(sha256):"], []), (["SHA256=\(sha256)"], []),
        ] as [([String], [DigestAlgorithm])])
    func `a Digest field is parsed member by member`(_ values: [String], _ expected: [DigestAlgorithm]) {
        #expect(DigestFields.parseInstanceDigests(values).map(\.algorithm) == expected)
    }

    @Test func `a digest in Base64 is decoded`() {
        #expect(DigestFields.parseInstanceDigests(["SHA-256=\(Self.sha256)"]).first?.hex == DigestFieldsTests.sha256Hex)
    }

    @Test func `a digest whose Base64 contains hexadecimal digits is read, as in the example of RFC 6249`() {
        let value = "SHA-256=MWVkMWQxYTRiMzk5MDQ0MzI3NGU5NDEyZTk5OWY1ZGFmNzgyZTJlODYzYjRjYzFhOTlmNTQwYzI2M2QwM2U2MQ=="
        #expect(
            DigestFields.parseInstanceDigests([value]).first?.hex
                == "1ed1d1a4b3990443274e9412e999f5daf782e2e863b4cc1a99f540c263d03e61")
    }
}
