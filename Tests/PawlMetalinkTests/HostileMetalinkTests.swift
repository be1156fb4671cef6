import Pawl
import PawlCore
import PawlMetalink
import PawlTestKit
import Testing

/// Documents that are damaged or malicious.
@Suite struct HostileMetalinkTests {
    private static func error(_ text: String) -> MetalinkError? {
        do {
            _ = try MetalinkDocumentTests.parse(text)
            return nil
        } catch {
            return error
        }
    }

    // MARK: XML

    @Test(arguments: [
        "<!DOCTYPE metalink [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE metalink SYSTEM \"http://127.0.0.1:1/x.dtd\">",
        "<!DOCTYPE metalink PUBLIC \"x\" \"file:///etc/passwd\">",
        "<!DOCTYPE metalink [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/\"> %p;]>",
        "<!DOCTYPE metalink [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>",
        "<!DOCTYPE metalink>",
    ])
    func
        `a document type declaration is refused where it begins, before it can read files, contact servers or expand without end`(
            _ doctype: String
        )
    {
        let error = Self.error(
            "<?xml version=\"1.0\"?>\n\(doctype)<metalink version=\"4\"><file name=\"a\"><size>&x;&c;</size></file></metalink>"
        )
        #expect(error?.message.contains("<!DOCTYPE") == true)
        #expect(error?.line == 2)
    }

    @Test(
        arguments: [
            ("", 1), ("\n\nnot xml", 3), ("<metalink version=\"4\">\n<file name=\"a\">\n</metalink>", 3),
            ("<metalink version=\"4\"/>trailing", 1),
            ("<metalink version=\"4\">\n<file name=\"a\">&undefined;</file></metalink>", 2),
            ("<metalink version=\"4\"><file name=\"a\"/>", 1),
            ("<metalink version=\"4\"><file name=\"a\" name=\"b\"/></metalink>", 1),
            ("<metalink version=\"4\"><x:file name=\"a\"/></metalink>", 1),
            ("<?xml version=\"1.0\" encoding=\"EBCDIC\"?><metalink/>", 1),
            ("<metalink version=\"4\">\u{0}</metalink>", 1),
        ] as [(String, Int)])
    func `a document that is not well-formed is an error with its position`(_ text: String, _ line: Int) {
        let error = Self.error(text)
        #expect(error?.line == line, "\(error.map { "\($0)" } ?? "no error")")
        #expect(error?.message.contains("not well-formed XML: ") == true)
    }

    @Test func `a document with bytes that are not UTF-8 is an error`() {
        let bytes = Array("<metalink version=\"4\"><file name=\"".utf8) + [0xFF] + Array("\"/></metalink>".utf8)
        #expect(throws: MetalinkError.self) { try MetalinkDocument(parsing: bytes) }
    }

    @Test(arguments: [
        "<html><body>404</body></html>", "<metalink version=\"2\"/>", "<metalink xmlns=\"urn:other\" version=\"4\"/>",
        "<file name=\"a\"/>",
    ])
    func `a document that is not a Metalink is reported as such`(_ text: String) {
        #expect(Self.error(text)?.message.hasPrefix("This is not a Metalink document: it begins with <") == true)
    }

    @Test func `a document without a file is an error`() {
        #expect(
            Self.error(MetalinkDocumentTests.four("<origin>http://a.example/</origin>"))?.message
                == "The document names no file.")
    }

    // MARK: Bounds

    @Test func `deeply nested elements are refused`() {
        let error = Self.error(MetalinkDocumentTests.four(String(repeating: "<a>", count: 100_000)))
        #expect(error?.message == "Elements are nested more than 64 deep.")
    }

    @Test func `an overlong attribute is refused`() {
        let error = Self.error("<metalink version=\"4\" x=\"\(String(repeating: "a", count: 100_000))\"/>")
        #expect(error?.message == "An attribute has more than 65536 bytes.")
    }

    @Test func `an overlong text is refused, unless the reader ignores it`() throws {
        let long = String(repeating: "a", count: 100_000)
        #expect(throws: MetalinkError.self) { try MetalinkDocumentTests.file("<url>\(long)</url>") }
        #expect(try MetalinkDocumentTests.file("<description>\(long)</description>") != nil)
    }

    @Test func `too many URLs or files are refused`() {
        let urls = String(repeating: "<url>http://a.example/</url>", count: MetalinkDocument.maximumURLs + 1)
        #expect(
            Self.error(MetalinkDocumentTests.four("<file name=\"a\">\(urls)</file>"))?.message
                == "A file has more than 1000 URLs.")
        let files = (0...MetalinkDocument.maximumFiles).map { "<file name=\"\($0)\"/>" }.joined()
        #expect(Self.error(MetalinkDocumentTests.four(files))?.message == "The document names more than 10000 files.")
    }

    @Test func `a document of more than 16 MiB is refused before it is stored`() {
        let block = [UInt8](repeating: 0x20, count: 1 << 20)
        let pieces = [Array("<metalink version=\"4\">".utf8)] + Array(repeating: block, count: 17)
        let error = #expect(throws: MetalinkError.self) { try MetalinkDocument(pieces: pieces) }
        #expect(error?.message == "The document has more than 16 MiB.")
    }

    @Test func `the number of notices for a document is limited`() throws {
        let hashes = (0..<500).map { "<hash type=\"x\($0)\">00</hash>" }.joined()
        #expect(
            try MetalinkDocumentTests.parse(MetalinkDocumentTests.four("<file name=\"a\">\(hashes)</file>")).notices
                .count == 20)
    }

    // MARK: Names

    @Test(arguments: [
        "../../x", "/etc/passwd", "a/../../x", "a/..", "..", ".", "", "/", "./x", "a//b", "a\\b", "..\\x", "a/",
        "\u{200B}", " ", "...",
    ])
    func `M14 a Metalink name that leads out of the directory is refused`(_ name: String) {
        let error = Self.error(MetalinkDocumentTests.four("\n<file name=\"\(name)\"></file>"))
        #expect(error?.message.contains("is refused: it must be a relative path") == true)
        #expect(error?.line == 3)
    }

    @Test(arguments: [
        ("C:x", "C_x"), ("C:/x", "C_/x"), ("-rf", "_-rf"), (".bashrc", "_.bashrc"), ("a/.ssh/b", "a/_.ssh/b"),
        ("nul.txt", "_nul.txt"), ("a&#x202E;b", "ab"),
        ("x.part", "x.part_"), ("sub/x.pawl", "sub/x.pawl_"), ("~root/x", "_~root/x"), ("a&#10;b", "ab"),
    ])
    func `M14 a dangerous name in a Metalink is made harmless`(_ name: String, _ expected: String) throws {
        #expect(try MetalinkDocumentTests.file("", name: name)?.name == expected)
    }

    @Test func `two files with one name are an error, even if the case differs`() {
        #expect(
            Self.error(MetalinkDocumentTests.four("<file name=\"a\"/><file name=\"A\"/>"))?.message
                == "Two files are named “A”.")
    }

    @Test func `a file without a name is an error`() {
        #expect(Self.error(MetalinkDocumentTests.four("<file/>"))?.message == "A file has no name.")
    }

    // MARK: Contradictory facts

    @Test(
        arguments: [
            ("<size>-1</size>", "is not a number of bytes"),
            ("<size>99999999999999999999</size>", "is not a number of bytes"),
            ("<size>1e3</size>", "is not a number of bytes"),
            ("<hash type=\"md5\">zz</hash>", "is not a digest of type md5"),
            ("<hash type=\"sha-256\"></hash>", "is not a digest of type sha-256"),
            (
                "<hash type=\"md5\">5eb63bbbe01eeed093cb22bb8f5acdc3</hash><hash type=\"MD5\">00000000000000000000000000000000</hash>",
                "two different md5"
            ),
            ("<pieces length=\"0\" type=\"md5\"></pieces>", "at least 1"),
            ("<pieces length=\"x\" type=\"md5\"></pieces>", "not a number of bytes"),
            ("<pieces type=\"md5\"></pieces>", "not a number of bytes"),
            ("<pieces length=\"4\" type=\"md5\"><hash>00</hash></pieces>", "is not a digest of type md5"),
            (
                "<size>9</size><pieces length=\"4\" type=\"md5\"><hash>5eb63bbbe01eeed093cb22bb8f5acdc3</hash></pieces>",
                "1 hashes of pieces of 4 bytes do not fit"
            ),
            ("<size>4</size><pieces length=\"9223372036854775807\" type=\"md5\"></pieces>", "0 hashes of pieces of"),
            (
                "<pieces length=\"4\" type=\"md5\"><hash piece=\"1\">5eb63bbbe01eeed093cb22bb8f5acdc3</hash></pieces>",
                "not numbered from 0 to 0"
            ),
            (
                "<pieces length=\"4\" type=\"md5\"><hash piece=\"0\">5eb63bbbe01eeed093cb22bb8f5acdc3</hash><hash piece=\"0\">5eb63bbbe01eeed093cb22bb8f5acdc3</hash></pieces>",
                "not numbered"
            ),
        ] as [(String, String)])
    func `an invalid value is an error, not a guess`(_ inside: String, _ message: String) {
        let error = Self.error(MetalinkDocumentTests.four("<file name=\"a\">\(inside)</file>"))
        #expect(error?.message.contains(message) == true, "\(error.map { "\($0)" } ?? "no error")")
    }

    // MARK: Truncated documents and noise

    @Test func `a document parsed byte by byte gives the same result`() throws {
        let bytes = Array(
            MetalinkDocumentTests.example.replacing(
                "2f548ce50c459a0270e85a7d63b2383c5523", with: MetalinkDocumentTests.sha256
            ).utf8)
        #expect(try MetalinkDocument(pieces: bytes.map { [$0] }) == MetalinkDocument(parsing: bytes))
    }

    @Test func `parsing mutated examples never traps, and its results are valid`() throws {
        var generator = SplitMix64(seed: 0x6D65_7461)
        for example in try Self.examples() {
            #expect(throws: Never.self) { try MetalinkDocument(parsing: example, from: "http://h.example/d/x.meta4") }
            for count in stride(from: 0, to: example.count, by: 7) {
                // The beginning of a document is never a valid document.
                #expect(throws: MetalinkError.self) { try MetalinkDocument(parsing: Array(example.prefix(count))) }
            }
            for _ in 0..<500 {
                var bytes = example
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                        in: 0x20...0x7E, using: &generator)
                }
                guard let document = try? MetalinkDocument(parsing: bytes) else { continue }
                for file in document.files {
                    #expect(FileName.metalinkPath(file.name) == file.path)
                    #expect(file.mirrors.allSatisfy { (try? HTTPURL(parsing: $0.url)) != nil })
                    #expect(file.size.map { $0 >= 0 } ?? true)
                }
            }
        }
    }

    private static func examples(file: String = #filePath) throws -> [[UInt8]] {
        let root = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let directory = "\(root)/Tests/PawlMetalinkTests/Examples"
        return try Files.names(directory).map { try Files.read("\(directory)/\($0)") }
    }
}
