import PawlCore
import Testing

@Suite struct DigestListTests {
    private static let sha256 = DigestFieldsTests.sha256Hex
    private static let other = String(repeating: "0f", count: 32)
    private static let md5 = "5eb63bbbe01eeed093cb22bb8f5acdc3"
    private static let sha512 = String(repeating: "ab", count: 64)

    private static func list(_ text: String, _ name: String? = nil) -> DigestList {
        DigestList(parsing: Array(text.utf8), listName: name)
    }

    /// Entries as `ALGORITHM NAME`, with `-` for a missing name.
    private static func shown(_ list: DigestList) -> [String] {
        list.entries.map { "\($0.digest.algorithm.rawValue) \($0.name ?? "-")" }
    }

    // MARK: Reading

    @Test(
        arguments: [
            ("\(sha256)  a.iso\n", ["sha-256 a.iso"]),
            ("\(sha256) *a.iso", ["sha-256 a.iso"]),
            ("\(sha256) a.iso", ["sha-256 a.iso"]),
            ("\(sha256)\ta.iso", ["sha-256 a.iso"]),
            ("\(sha256.uppercased())  a b.iso\r\n\(md5)  c\r\n", ["sha-256 a b.iso", "md5 c"]),
            ("\(sha512)  ./d/e", ["sha-512 ./d/e"]),
            ("\(sha256)\n", ["sha-256 -"]),
            ("SHA256 (a.iso) = \(sha256)", ["sha-256 a.iso"]),
            ("SHA256 (a (1).iso) = \(sha256)", ["sha-256 a (1).iso"]),
            ("MD5(a.iso)= \(md5)\nSHA2-256(a.iso)= \(sha256)", ["md5 a.iso", "sha-256 a.iso"]),
            ("SHA512 (a) = \(sha512)\nSHA1 (a) = 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed", ["sha-512 a", "sha-1 a"]),
            // Names with characters that a line cannot hold.
            ("\\\(sha256)  a\\nb\\\\c\\rd", ["sha-256 a\nb\\c\rd"]),
            ("\\SHA256 (a\\nb) = \(sha256)", ["sha-256 a\nb"]),
            ("\(sha256)  a\\nb", ["sha-256 a\\nb"]),
            // Lines that are not entries.
            ("# \(sha256)  a\n\nhello world\nSHA256 a = \(sha256)\n<html>\n", []),
            ("\\\(sha256)  a\\xb", []), ("\(sha256)x  a", []), ("\(sha256.dropLast())  a", []), ("", []),
            ("SHA256 (a) = \(sha256.dropLast())g", []), ("SHA256 (a) \(sha256)", []),
            // Repeated entries.
            ("\(sha256)  a\n\(sha256)  a", ["sha-256 a"]),
            ("\u{FEFF}\(sha256)  a", ["sha-256 a"]),
        ] as [(String, [String])])
    func `checksum lines of GNU, BSD and OpenSSL are parsed`(_ text: String, _ expected: [String]) {
        #expect(Self.shown(Self.list(text)) == expected)
    }

    @Test func `upper-case hexadecimal digits are read`() {
        #expect(Self.list("\(Self.sha256.uppercased())  a").entries.map(\.digest.hex) == [Self.sha256])
    }

    @Test func `the envelope of a clear-signed list is skipped`() {
        let text = """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA256

            # Fedora-Server.iso: 2295853056 bytes
            SHA256 (Fedora-Server.iso) = \(Self.sha256)
            - SHA256 (dash) = \(Self.other)
            -----BEGIN PGP SIGNATURE-----

            \(Self.other)  forged
            -----END PGP SIGNATURE-----
            """
        #expect(Self.shown(Self.list(text)) == ["sha-256 Fedora-Server.iso", "sha-256 dash"])
    }

    @Test(
        arguments: [
            ("B2SUMS", "\(sha512)  a"), ("file.sha3-256", "\(sha256)  a"),
            ("RIPEMD160SUMS", "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed  a"),
            (nil, "SHA3-256 (a) = \(sha256)"), (nil, "BLAKE2b (a) = \(sha512)"), (nil, "SHA512/256 (a) = \(sha256)"),
            (nil, "\(String(repeating: "ab", count: 48))  a"), (nil, "\(String(repeating: "ab", count: 28))  a"),
        ] as [(String?, String)])
    func `a digest of an unknown algorithm is not taken for a known one of equal length`(
        _ name: String?, _ text: String
    ) throws {
        let list = Self.list(text, name)
        #expect(list.entries.isEmpty && list.unknownAlgorithmCount == 1)
        let error = #expect(throws: DigestListError.self) { try list.digest(forFileAt: ["a"]) }
        #expect(error?.message.contains("unsupported algorithms. Supported: sha-512") == true)
    }

    @Test(arguments: ["SHA512SUMS", "SHA256SUMS", "MD5SUMS", "file.iso.sha256"])
    func `a digest's length outweighs the list's file name`(_ name: String) {
        #expect(Self.shown(Self.list("\(Self.sha256)  a", name)) == ["sha-256 a"])
    }

    // MARK: Looking up

    private static func found(_ text: String, _ paths: String...) throws -> String {
        try list(text).digest(forFileAt: paths).hex
    }

    @Test func `an entry is found by its file name, whatever directories precede it`() throws {
        for entry in ["a.iso", "./a.iso", "pub/a.iso", "/srv/pub/a.iso"] {
            let text = "\(Self.other)  b.iso\n\(Self.sha256)  \(entry)\n\(Self.other)  a.iso.sig"
            #expect(try Self.found(text, "/pub/a.iso") == Self.sha256)
            #expect(try Self.found(text, "a.iso") == Self.sha256)
        }
    }

    @Test func `of several entries with the same file name, the end of the path decides`() throws {
        let text = "\(Self.other)  stable/x/Packages\n\(Self.sha256)  testing/x/Packages\n"
        #expect(try Self.found(text, "/debian/dists/testing/x/Packages") == Self.sha256)
        #expect(try Self.found(text, "/debian/dists/stable/x/Packages") == Self.other)
        let error = #expect(throws: DigestListError.self) { try Self.found(text, "/x/Packages") }
        #expect(
            error?.message.contains("several files with this name: “stable/x/Packages”, “testing/x/Packages”") == true)
    }

    @Test func `an entry in the list's own directory is preferred to one in another directory`() throws {
        let text = "\(Self.other)  old/a.iso\n\(Self.sha256)  a.iso\n"
        #expect(try Self.found(text, "a.iso") == Self.sha256)
        #expect(try Self.found(text, "/old/a.iso") == Self.other)
    }

    @Test func `two entries with the same name and digest are not ambiguous`() throws {
        #expect(try Self.found("\(Self.sha256)  x/a\n\(Self.sha256)  y/a\n", "a") == Self.sha256)
    }

    @Test func `the strongest of a file's digests is used`() throws {
        let text = "MD5 (a) = \(Self.md5)\nSHA512 (a) = \(Self.sha512)\nSHA256 (a) = \(Self.sha256)\n"
        #expect(try Self.found(text, "a") == Self.sha512)
    }

    @Test func `candidate names are tried in turn`() throws {
        let text = "\(Self.sha256)  given.iso\n"
        #expect(try Self.found(text, "/download", "given.iso") == Self.sha256)
        #expect(try Self.found(text, "/pub/given.iso", "other.iso") == Self.sha256)
    }

    @Test func `a single digest without a name applies to any file`() throws {
        #expect(try Self.found("\(Self.sha256)\n", "anything") == Self.sha256)
        #expect(throws: DigestListError.self) { try Self.found("\(Self.sha256)\n\(Self.other)\n", "anything") }
    }

    @Test func `a missing entry is reported with the names that the list has`() {
        let names = (1...10).map { "\(Self.sha256)  f\($0).iso" }.joined(separator: "\n")
        let error = #expect(throws: DigestListError.self) { try Self.found(names, "/pub/g.iso") }
        #expect(error?.message.hasPrefix("The list has no checksum for “g.iso”. It has: “f1.iso”, “f2.iso”") == true)
        #expect(error?.message.hasSuffix("“f8.iso” and 2 more.") == true)
    }

    @Test(arguments: ["", "<html>404</html>", "\u{0}\u{1}\u{2}"])
    func `text that is not a checksum list is reported as such`(_ text: String) {
        let error = #expect(throws: DigestListError.self) { try Self.found(text, "a") }
        #expect(error?.message.contains("not a checksum list") == true)
    }

    @Test(arguments: ["", "/", "./"]) func `a path without a file name finds no entry`(_ path: String) {
        #expect(throws: DigestListError.self) { try Self.found("\(Self.sha256)  a\n\(Self.other)  b", path) }
    }
}
