import Pawl
import PawlCore
import PawlMetalink
import Testing

@Suite struct MetalinkDocumentTests {
    static func parse(_ text: String, from url: String? = nil) throws(MetalinkError) -> MetalinkDocument {
        try MetalinkDocument(parsing: Array(text.utf8), from: url)
    }

    /// A version 4 document with these contents.
    static func four(_ inside: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(inside)</metalink>"
    }

    /// The file of a version 4 document with these contents.
    static func file(_ inside: String, name: String = "a.iso") throws(MetalinkError) -> MetalinkDocument.File? {
        try parse(four("<file name=\"\(name)\">\(inside)</file>")).files.first
    }

    static let sha256 = "f0ad929cd259957e160ea442eb80986b5f01aaaaf4f4ff04ce5ecf4ec0a7e7b5"

    // MARK: Version 4

    /// The longer example of RFC 5854 §1.1.
    static let example = """
        <?xml version="1.0" encoding="UTF-8"?>
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
          <published>2009-05-15T12:23:23Z</published>
          <file name="example.ext">
            <size>14471447</size>
            <identity>Example</identity>
            <version>1.0</version>
            <language>en</language>
            <description>A description of the example file for download.</description>
            <hash type="sha-256">\(sha256)</hash>
            <url location="de" priority="1">ftp://ftp.example.com/example.ext</url>
            <url location="fr" priority="1">http://example.com/example.ext</url>
            <metaurl mediatype="torrent" priority="2">http://example.com/example.ext.torrent</metaurl>
          </file>
          <file name="example2.ext">
            <size>14471447</size>
            <hash type="sha-256">2f548ce50c459a0270e85a7d63b2383c5523</hash>
          </file>
        </metalink>
        """

    @Test func `the example of RFC 5854 is parsed once its too short second digest is corrected`() throws {
        let document = try Self.parse(Self.example.replacing("2f548ce50c459a0270e85a7d63b2383c5523", with: Self.sha256))
        #expect(document.files.map(\.name) == ["example.ext", "example2.ext"])
        let file = try #require(document.files.first)
        #expect(file.size == 14_471_447)
        #expect(file.digests.map(\.description) == ["sha-256:\(Self.sha256)"])
        #expect(file.mirrors == [Mirror("http://example.com/example.ext", priority: 1, location: "fr")])
        #expect(file.pieceHashes == nil)
        #expect(
            document.notices == [
                "Torrents and other descriptions of files are not used.", "URLs that begin with “ftp:” are not used.",
            ])
        #expect(document.files.last?.request() == nil)
    }

    @Test func `a digest that is too short is an error with its position`() {
        let error = #expect(throws: MetalinkError.self) { try Self.parse(Self.example) }
        #expect(error?.line == 17)
        #expect(error?.column == 62)
        #expect(error?.message.contains("is not a digest of type sha-256, which has 64 hexadecimal digits") == true)
    }

    @Test func `a request receives everything that a Metalink says`() throws {
        let file = try #require(
            try Self.file(
                """
                <size>5</size><hash type="md5">5eb63bbbe01eeed093cb22bb8f5acdc3</hash><hash type="sha-256">\(Self.sha256)</hash>
                <pieces length="4" type="sha-1"><hash>\(String(repeating: "0a", count: 20))</hash><hash>\(String(repeating: "0b", count: 20))</hash></pieces>
                <pieces length="3" type="sha-256"><hash>\(String(repeating: "0c", count: 32))</hash><hash>\(String(repeating: "0d", count: 32))</hash></pieces>
                <url priority="20">http://b.example/x</url><url>http://c.example/x</url><url priority="3" location="GB"> https://a.example/x </url>
                <url>http://b.example/x</url>
                """, name: "dir/sub/a.iso"))
        let request = try #require(file.request(in: "down"))
        #expect(request.url == "https://a.example/x")
        #expect(request.directory == "down/dir/sub")
        #expect(request.fileName == "a.iso")
        #expect(request.expectedSize == 5)
        #expect(request.digest?.description == "sha-256:\(Self.sha256)")
        #expect(request.mirrors == [Mirror("http://b.example/x", priority: 20), Mirror("http://c.example/x")])
        #expect(request.pieceHashes?.algorithm == .sha256)
        #expect(request.pieceHashes?.pieceLength == 3)
        #expect(
            request.pieceHashes?.hashes == [[UInt8](repeating: 0x0C, count: 32), [UInt8](repeating: 0x0D, count: 32)])
        #expect(file.digests.map(\.algorithm) == [.sha256, .md5])
        #expect(file.mirrors.map(\.location) == ["gb", nil, nil])
    }

    @Test(
        arguments: [
            ("a", ".", "."), ("a", "", "."), ("d/a", ".", "d"), ("d/e/a", "down", "down/d/e"), ("a", "down", "down"),
            ("a", "/", "/"), ("d/a", "/", "/d"),
        ])
    func `directories in a file's name are placed below the chosen directory`(
        _ name: String, _ directory: String, _ expected: String
    ) throws {
        let file = try #require(try Self.file("<url>http://a.example/</url>", name: name))
        #expect(file.request(in: directory)?.directory == expected)
    }

    @Test func `a request receives at most the maximum number of mirrors`() throws {
        let urls = (0..<300).map { "<url>http://h\($0).example/</url>" }.joined()
        let file = try #require(try Self.file(urls))
        #expect(file.mirrors.count == 300)
        #expect(file.request()?.mirrors.count == Mirror.maximumCount)
    }

    // MARK: Version 3

    @Test func `a version 3 document is parsed, with preferences, numbered pieces and torrents among the URLs`() throws
    {
        let document = try Self.parse(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <metalink version="3.0" xmlns="http://www.metalinker.org/" type="dynamic" origin="http://www.example.org/x.metalink">
              <publisher><name>Somebody</name><url>http://publisher.example/</url></publisher>
              <files>
                <file name="a.iso">
                  <version>1</version><language>en-US</language><os>Linux-x86</os><size>6</size>
                  <verification>
                    <hash type="md5">5eb63bbbe01eeed093cb22bb8f5acdc3</hash>
                    <hash type="sha1">2aae6c35c94fcfb415dbe95f408b9ce91ee846ed</hash>
                    <signature type="pgp" file="a.iso.asc">-----BEGIN PGP SIGNATURE-----</signature>
                    <pieces length="4" type="sha1">
                      <hash piece="1">\(String(repeating: "0b", count: 20))</hash>
                      <hash piece="0">\(String(repeating: "0a", count: 20))</hash>
                    </pieces>
                  </verification>
                  <resources maxconnections="4">
                    <url type="bittorrent" preference="100">http://t.example/a.torrent</url>
                    <url type="http" location="us" preference="10">http://b.example/a.iso</url>
                    <url type="http" location="uk" preference="100">http://a.example/a.iso</url>
                    <url type="http">http://c.example/a.iso</url>
                    <url type="ftp" preference="99">ftp://d.example/a.iso</url>
                  </resources>
                </file>
              </files>
            </metalink>
            """)
        let file = try #require(document.files.first)
        #expect(document.files.count == 1)
        #expect(file.size == 6)
        #expect(file.digests.map(\.algorithm) == [.sha1, .md5])
        #expect(file.pieceHashes?.hashes == [[UInt8](repeating: 0x0A, count: 20), [UInt8](repeating: 0x0B, count: 20)])
        #expect(
            file.mirrors == [
                Mirror("http://a.example/a.iso", priority: 1, location: "uk"),
                Mirror("http://b.example/a.iso", priority: 91, location: "us"), Mirror("http://c.example/a.iso"),
            ])
        #expect(document.isDynamic)
        #expect(document.origin == "http://www.example.org/x.metalink")
    }

    // MARK: Leniency

    @Test(
        arguments: [
            "<metalink version=\"4.0\"><file name=\"a\"/></metalink>",
            "<metalink version=\"3.0\"><files><file name=\"a\"/></files></metalink>",
            "<m:metalink xmlns:m=\"urn:ietf:params:xml:ns:metalink\"><m:file name=\"a\"/></m:metalink>",
            "\u{FEFF}<metalink version=\"4.0\"><!-- c --><?p i?><file name=\"a\"><size>\n<![CDATA[1]]>2\n</size></file></metalink>",
        ])
    func `namespaces may be missing or have a prefix`(_ text: String) throws {
        #expect(try Self.parse(text).files.map(\.name) == ["a"])
    }

    @Test func `unknown elements are skipped with their content`() throws {
        let file = try Self.file(
            "<x:size xmlns:x=\"urn:other\">9</x:size><extra><size>8</size><url>http://x.example/</url></extra><size>7</size>"
                + "<url>http://a.example/</url><hash type=\"sha3-256\">00</hash>")
        #expect(file?.size == 7)
        #expect(file?.mirrors.map(\.url) == ["http://a.example/"])
        #expect(file?.digests == [])
    }

    @Test func `other character sets are read`() throws {
        let latin =
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><metalink version=\"4\"><file name=\"".utf8 + [0xE9]
            + "\"/></metalink>".utf8
        #expect(try MetalinkDocument(parsing: Array(latin)).files.map(\.name) == ["é"])
    }

    @Test(arguments: ["0", "1000000", "x", "", "-4"]) func `a priority out of range counts as the lowest`(
        _ priority: String
    ) throws {
        #expect(
            try Self.file("<url priority=\"\(priority)\" location=\"europe\">http://a.example/</url>")?.mirrors == [
                Mirror("http://a.example/")
            ])
    }

    // MARK: Relative URLs

    private static func first(_ document: String, from url: String? = nil) throws -> String? {
        try parse(document, from: url).files.first?.mirrors.first?.url
    }

    @Test func `relative URLs are resolved against xml:base, the document's own URL, or its published origin`() throws {
        let plain = Self.four("<file name=\"a\"><url>sub/a</url></file>")
        #expect(try Self.first(plain) == nil)
        #expect(try Self.parse(plain).notices == ["A URL that cannot be read was ignored."])
        #expect(try Self.first(plain, from: "https://u:p@h.example/x/y.meta4") == "https://h.example/x/sub/a")

        let published = Self.four(
            "<file name=\"a\"><url>sub/a</url></file><origin dynamic=\"true\">http://o.example/p/q.meta4</origin>")
        #expect(try Self.first(published) == "http://o.example/p/sub/a")
        #expect(try Self.first(published, from: "http://h.example/") == "http://h.example/sub/a")
        #expect(try Self.parse(published).isDynamic)

        let based = Self.four(
            "<file name=\"a\" xml:base=\"http://b.example/r/\"><url xml:base=\"s/\">a</url></file><file name=\"c\"><url>c</url></file>"
        )
        #expect(try Self.first(based, from: "http://h.example/") == "http://b.example/r/s/a")
        #expect(try Self.parse(based, from: "http://h.example/").files.last?.mirrors.first?.url == "http://h.example/c")
    }

    @Test func `credentials in a Metalink's URL are kept`() throws {
        #expect(try Self.file("<url>http://u:p@a.example/x</url>")?.mirrors.map(\.url) == ["http://u:p@a.example/x"])
    }
}
