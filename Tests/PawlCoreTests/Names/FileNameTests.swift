import PawlCore
import Testing

@Suite struct FileNameTests {
    /// Compares bytes, because Swift considers some texts equal that a file system distinguishes.
    private func expect(_ found: String, _ expected: String, at location: SourceLocation = #_sourceLocation) {
        #expect(
            found.utf8.elementsEqual(expected.utf8), "\(found.debugDescription), not \(expected.debugDescription)",
            sourceLocation: location)
    }

    @Test(arguments: [
        "file.iso", "my file (2).tar.gz", "Ünïcödé.txt", "日本語.zip", "a.b.c", "x~", "a-b", "👍🏽.png", "❤️.txt", "part",
        "x.partial",
        "console.txt",
        "COM10", "_", "download",
    ])
    func `a harmless file name stays as it is`(_ name: String) {
        expect(FileName.sanitize(name), name)
    }

    @Test(arguments: [
        ("../../.ssh/authorized_keys", "authorized_keys"), ("/etc/passwd", "passwd"), ("..", "download"),
        (".", "download"),
        ("", "download"), ("a/", "download"), ("a/..", "download"), ("///", "download"), (". .", "download"),
        ("a/b/../../c.txt", "c.txt"), ("./x", "x"), ("~/x", "x"), ("file:///etc/passwd", "passwd"),
        ("/\u{301}x", "\u{301}x"),
        ("\u{200B}", "download"), (".\u{200B}.", "download"), ("\u{200B}.\u{200B}.", "download"),
        (".\u{200B}/..\u{0}", "download"),
    ])
    func `M01 no file name leads out of the directory`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(arguments: [
        ("..\\..\\Startup\\x.bat", "x.bat"), ("C:x", "C_x"), ("x:stream", "x_stream"),
        ("a*b?c\"d<e>f|g", "a_b_c_d_e_f_g"),
        ("C:\\x", "x"), ("\\\\host\\share\\x", "x"), ("x::$DATA", "x__$DATA"), ("a/b\\c/d\\e", "e"),
        ("..\\", "download"),
        ("a\u{1}b\tc\u{7F}d", "a_b_c_d"),
    ])
    func `M02 a file name keeps nothing that has a special meaning to Windows`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(arguments: [
        ("a\u{0}b", "ab"), ("a\r\nb", "ab"), ("a\u{1B}[31mb", "a[31mb"), ("gpj.\u{202E}exe", "gpj.exe"),
        ("a\u{2066}b\u{2069}c", "abc"),
        ("a\u{200B}\u{200D}\u{FEFF}b", "ab"), ("a\u{9B}b", "ab"), ("a\u{2028}b", "ab"), ("a\u{3164}b", "ab"),
        ("a\u{E0041}b", "ab"),
    ])
    func `M03 invisible and control characters are removed from a file name`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(arguments: [
        (String(repeating: "a", count: 300) + ".iso", String(repeating: "a", count: 246) + ".iso"),
        (String(repeating: "a", count: 300), String(repeating: "a", count: 250)),
        (String(repeating: "é", count: 300) + ".x", String(repeating: "é", count: 124) + ".x"),
        (String(repeating: "😀", count: 300), String(repeating: "😀", count: 62)),
        (
            String(repeating: "a", count: 249) + ". b" + String(repeating: "c", count: 40),
            String(repeating: "a", count: 249)
        ),
        ("x." + String(repeating: "y", count: 300), "x." + String(repeating: "y", count: 248)),
        (String(repeating: "é", count: 200) + ".tar.gz", String(repeating: "é", count: 121) + ".tar.gz"),
        (String(repeating: "a", count: 300) + ".TAR.zst", String(repeating: "a", count: 242) + ".TAR.zst"),
        (String(repeating: "a", count: 245) + ".part", String(repeating: "a", count: 244) + ".part_"),
        (String(repeating: "CON ", count: 80) + ".txt", String(repeating: "CON ", count: 61) + "CO.txt"),
    ])
    func `M04 a long file name is cut between scalars and keeps its extension`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
        #expect(FileName.sanitize(proposed).utf8.count <= FileName.byteLimit)
    }

    @Test(arguments: [
        ("e\u{301}.txt", "\u{E9}.txt"), ("e\u{302}\u{301}", "\u{1EBF}"), ("и\u{306}", "\u{439}"),
        ("か\u{3099}", "\u{304C}"),
        ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("\u{D558}\u{11AB}", "\u{D55C}"), ("\u{1112}\u{1161}", "\u{D558}"),
        ("x\u{301}", "x\u{301}"),
        ("A\u{30A}", "\u{C5}"),
    ])
    func `M08 equivalent spellings of a letter are composed to one form`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(arguments: [
        ("-rf", "_-rf"), (".bashrc", "_.bashrc"), ("~", "_~"), ("~root", "_~root"), ("x.", "x"), ("x. . ", "x"),
        ("  x  ", "x"),
        ("\u{A0}x\u{3000}", "x"), ("...x", "_...x"), ("...", "download"), ("a|b", "a_b"), ("-.part", "_-.part_"),
        ("--output=x", "_--output=x"),
    ])
    func `M09 risky beginnings and ends of file names are escaped or trimmed`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(arguments: [
        ("CON", "_CON"), ("nul", "_nul"), ("AUX.txt", "_AUX.txt"), ("Com1", "_Com1"), ("LPT¹", "_LPT¹"),
        ("prn .tar.gz", "_prn .tar.gz"), ("COM1", "_COM1"), ("CONIN$", "_CONIN$"), ("con", "_con"),
        ("CON" + String(repeating: " ", count: 300) + "x.txt", "_CON" + String(repeating: " ", count: 242) + ".txt"),
    ])
    func `M10 device names of Windows are escaped`(_ proposed: String, _ expected: String) {
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(arguments: [
        ("http://h/a/file.iso?x=../..", "file.iso"), ("http://h/%2e%2e%2f", "download"),
        ("http://h/%2Fetc%2Fpasswd", "passwd"),
        ("http://h/", "index.html"), ("http://h", "index.html"), ("http://h/a%20b.txt", "a b.txt"),
        ("http://h/%C3%A4", "ä"),
        ("http://h/%E4", "ä"),
        ("http://h/a%00b", "ab"), ("http://h/x%5Cy", "y"), ("http://h/%5C%5Chost%5Cx", "x"),
        ("http://h/f;v=1", "f;v=1"),
        ("http://h/a/%2e%2e", "download"), ("http://h/a/../b.txt", "b.txt"), ("http://h/a/", "index.html"),
        ("http://h/a/?C=M;O=D", "index.html"),
        ("http://h/a/b.iso#../x", "b.iso"), ("http://h/%252e%252e", "%2e%2e"), ("http://h/-rf", "_-rf"),
        ("http://h/.part", "_.part_"),
    ])
    func `M11 the file name taken from a URL's path never leads to another directory`(
        _ url: String, _ expected: String
    ) throws {
        expect(FileName.choose(contentDisposition: nil, url: try HTTPURL(parsing: url)), expected)
    }

    @Test func `the server's name comes before that of an index`() throws {
        let proposed = ContentDisposition(fieldValues: ["attachment; filename=x.iso"])
        expect(FileName.choose(contentDisposition: proposed, url: try HTTPURL(parsing: "http://h/a/")), "x.iso")
    }

    @Test(arguments: [
        ("attachment; filename=\"../x.iso\"", "x.iso"),
        ("attachment; filename=\"=?UTF-8?B?YQ==?=\"", "=_UTF-8_B_YQ==_="),
        ("attachment", "u.bin"), ("attachment; filename=\"\"", "u.bin"),
        ("attachment; filename=a; filename=b", "a"),
        ("attachment; filename=\"a\u{1B}b\"", "u.bin"), ("attachment; filename*=UTF-8''%c0%af", "u.bin"),
        ("inline; filename*=UTF-8''%2e%2e", "u.bin"), ("inline; filename*=UTF-8''%2e%2e%5c%2e%2e%5cx", "x"),
        ("inline; filename*=UTF-8''%2Fetc%2F", "download"), ("inline; filename*=UTF-8''a%00/../b", "b"),
        ("inline; filename*=UTF-8''a%0d%0ab.txt", "ab.txt"),
        ("inline; filename*=UTF-8''%252e%252e%252fx", "%2e%2e%2fx"),
    ])
    func
        `M06 a file name from Content-Disposition takes precedence over the URL's, and is decoded once and then made safe`(
            _ field: String, _ expected: String
        ) throws
    {
        let url = try HTTPURL(parsing: "http://h/u.bin")
        let head = ResponseHead(status: 200, fields: [HTTPField("content-disposition", field)])
        expect(FileName.suggested(by: head, from: url, asked: url), expected)
    }

    @Test(arguments: [
        ("x.part", "x.part_"), ("x.PAWL", "x.PAWL_"), ("x.part. ", "x.part_"), (".part", "_.part_"),
        (".pawl", "_.pawl_"),
        ("x.part%00", "x.part%00"),
        ("\u{D4E}.part", "\u{D4E}.part_"),
    ])
    func `M13 a server cannot choose the name of one of Pawl's own files`(_ proposed: String, _ expected: String) {
        #expect(FileName.isReserved("a.part"))
        #expect(!FileName.isReserved("a.parts"))
        expect(FileName.sanitize(proposed), expected)
    }

    @Test(
        arguments: [
            ("a.iso", ["a.iso"]), ("sub/dir/a.iso", ["sub", "dir", "a.iso"]), ("a..b/c", ["a..b", "c"]),
            ("CON/x.part", ["_CON", "x.part_"]),
            ("/etc/passwd", nil), ("./a", nil), ("../a", nil), ("a/../b", nil), ("a/..", nil), ("a/./b", nil),
            ("a//b", nil), ("a/", nil),
            ("", nil), ("..", nil), (".", nil), ("..\\a", nil), ("C:\\a", nil), ("a/\u{200B}", nil), ("a\u{0}/b", nil),
        ] as [(String, [String]?)])
    func `M14 a file name in a Metalink becomes a relative path of safe components, or is refused`(
        _ proposed: String, _ expected: [String]?
    ) {
        #expect(FileName.metalinkPath(proposed) == expected)
    }

    @Test func `a partial file ends in .part, and a journal in .pawl`() {
        #expect(FileName.partialName(for: "a.iso") == "a.iso.part")
        #expect(FileName.journalName(for: "a.iso") == "a.iso.pawl")
        #expect(FileName.isReserved(FileName.journalName(for: "a")))
    }

    @Test func `D23 the names of a long file name's partial file and journal are short, readable and unique`() {
        let name = String(repeating: "é", count: 120)
        let partial = FileName.partialName(for: name)
        #expect(partial == String(repeating: "é", count: 91) + ".ee5af63bc0de5cc5.part")
        #expect(partial.dropLast(5) == FileName.journalName(for: name).dropLast(5))
        #expect(partial != FileName.partialName(for: name + "x"))
        let atLimit = String(repeating: "a", count: 200)
        #expect(FileName.partialName(for: atLimit) == atLimit + ".part")
    }

    @Test(arguments: [
        ("file.iso", 1, "file (1).iso"), ("a.tar.gz", 1, "a (1).tar.gz"), ("a.TAR.xz", 12, "a (12).TAR.xz"),
        ("README", 2, "README (2)"),
        (".bashrc", 1, ".bashrc (1)"), ("Mr. Smith goes", 1, "Mr. Smith goes (1)"), (".tar.gz", 1, ".tar (1).gz"),
        ("x", 0, "x"),
        (String(repeating: "a", count: 246) + ".iso", 1, String(repeating: "a", count: 242) + " (1).iso"),
    ])
    func `a file name that is taken gets a number`(_ name: String, _ attempt: Int, _ expected: String) {
        #expect(FileName.renamed(name, attempt: attempt) == expected)
    }

    @Test func `every text becomes a harmless file name, with room for the endings of partial file and journal`() {
        let long = String(repeating: "long. ", count: 60)
        let seeds = [
            "../x.iso", "CON.txt", ".part", "e\u{301}\u{202E}.gz", long, String(long.dropLast(2)) + ".part",
            String(repeating: "é", count: 124) + ".pawl",
            "-" + String(repeating: "a", count: 249), "\u{1112}\u{1161}\u{11AB}.x",
        ]
        for text in ParserFuzz(seeds: seeds) {
            let name = FileName.sanitize(text)
            #expect(!name.isEmpty && name.utf8.count <= FileName.byteLimit)
            #expect(
                !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: "\\"))
                    && !name.utf8.contains(0))
            #expect(!name.hasPrefix(".") && !name.hasPrefix("-") && !name.hasSuffix("."))
            #expect(!FileName.isReserved(name))
            #expect(
                FileName.sanitize(name).utf8.elementsEqual(name.utf8),
                "sanitizing twice changes \(name.debugDescription)")
            #expect(FileName.partialName(for: name).utf8.count <= 255)
            #expect(FileName.renamed(name, attempt: 7).utf8.count <= FileName.byteLimit)
        }
    }
}
