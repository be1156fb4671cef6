import PawlCore
import Testing

/// Names that a server, a URL or a list proposes, and the names that Pawl uses. For names on a disk, see `B8 Names on the disk`.
@Suite struct `B8 Proposed names` {
    /// The suggested name when the server answers for `http://h/url.bin` with these Content-Disposition fields.
    private func name(_ values: String..., url: String = "http://h/url.bin") throws -> String {
        let url = try HTTPURL(parsing: url)
        let head = ResponseHead(status: 200, fields: values.map { HTTPField("Content-Disposition", $0) })
        return FileName.suggested(by: head, from: url, asked: url)
    }

    private func quoted(_ name: String) -> String {
        "attachment; filename=\"" + name.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] } + "\""
    }

    /// Compares bytes, because Swift considers some texts equal that a file system distinguishes.
    private func expect(_ found: String, _ expected: String, at location: SourceLocation = #_sourceLocation) {
        #expect(
            found.utf8.elementsEqual(expected.utf8), "\(found.debugDescription), not \(expected.debugDescription)",
            sourceLocation: location)
    }

    @Test(arguments: [
        ("../../.ssh/authorized_keys", "authorized_keys"), ("/etc/passwd", "passwd"), ("a/b/../../c.txt", "c.txt"),
        ("..", "download"), (".", "download"), ("", "url.bin"), ("a/", "download"), ("a/..", "download"), ("///", "download"),
        ("./x", "x"), ("~/x", "x"), ("~root", "_~root"), ("/\u{301}x", "\u{301}x"), ("file:///etc/passwd", "passwd"),
    ])
    func `M01 a proposed name is what follows the last slash, and dots alone are no name`(_ proposed: String, _ expected: String) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        ("..\\..\\Startup\\x.bat", "x.bat"), ("C:x", "C_x"), ("C:\\x", "x"), ("\\\\host\\share\\x", "x"), ("x:stream", "x_stream"),
        ("x::$DATA", "x__$DATA"), ("a*b?c\"d<e>f|g", "a_b_c_d_e_f_g"), ("a/b\\c/d\\e", "e"), ("..\\", "download"),
    ])
    func `M02 a backslash ends a directory like a slash, and characters reserved on Windows become underscores`(
        _ proposed: String, _ expected: String
    ) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        // Percent-encoded, because a raw control character makes the field malformed.
        ("a%00b.txt", "ab.txt"), ("a%0d%0ab.txt", "ab.txt"), ("a%1b%5b31mb", "a[31mb"), ("gpj.%e2%80%aeexe", "gpj.exe"),
        ("a%e2%81%a6b%e2%81%a9c", "abc"), ("a%e2%80%8bb%ef%bb%bfc", "abc"), ("a%c2%9bb", "ab"), ("a%e2%80%a8b", "ab"),
        ("a%01b%7fc", "a_b_c"), ("%e2%80%8b.%e2%80%8b.", "download"), (".%e2%80%8b/..%00", "download"),
    ])
    func `M03 encoded control characters and invisible characters never remain in a name`(_ proposed: String, _ expected: String) throws {
        expect(try name("attachment; filename*=UTF-8''\(proposed)"), expected)
    }

    @Test(arguments: ["\u{0}", "\u{1B}", "\u{7F}", "\r", "\n"])
    func `M03 a Content-Disposition with a raw control character is ignored`(_ control: String) throws {
        expect(try name("attachment; filename=\"a\(control)b\""), "url.bin")
    }

    @Test(arguments: [
        (String(repeating: "a", count: 300) + ".iso", String(repeating: "a", count: 246) + ".iso"),
        (String(repeating: "é", count: 300) + ".x", String(repeating: "é", count: 124) + ".x"),
        (String(repeating: "😀", count: 300), String(repeating: "😀", count: 62)),
        ("x." + String(repeating: "y", count: 300), "x." + String(repeating: "y", count: 248)),
        (String(repeating: "a", count: 245) + ".part", String(repeating: "a", count: 244) + ".part_"),
        (String(repeating: "CON ", count: 80) + ".txt", String(repeating: "CON ", count: 61) + "CO.txt"),
    ])
    func `M04 a long name is cut to 250 bytes between characters and keeps a short extension`(_ proposed: String, _ expected: String) throws {
        let found = try name(quoted(proposed))
        expect(found, expected)
        #expect(found.utf8.count <= 250)
        #expect(FileName.partialName(for: found).utf8.count <= 255 && FileName.journalName(for: found).utf8.count <= 255)
    }

    @Test(arguments: [
        "attachment; filename*=UTF-8''star; filename=plain", "attachment; filename=\"plain\"; filename*=UTF-8''star",
        "attachment; FILENAME*=utf-8'en'star; FileName=plain", "filename-is-no-type; filename*=UTF-8''star",
    ])
    func `M05 filename* takes precedence over filename, in either order`(_ field: String) throws {
        expect(try name(field), "star")
    }

    @Test(arguments: [
        ["attachment; filename=a; filename=b"], ["attachment; filename*=UTF-8''a; filename*=UTF-8''a"],
        ["attachment; filename=a", "attachment; filename=b"], ["attachment; filename=a, attachment; filename=b"],
        ["attachment; filename=\"a\"b"], ["attachment; filename=\"a"], ["attachment; filename"], ["attachment; filename=a b"],
        ["filename=a"], ["; filename=a"], [""],
    ])
    func `M05 an ambiguous or malformed Content-Disposition is ignored`(_ fields: [String]) throws {
        let url = try HTTPURL(parsing: "http://h/url.bin")
        let head = ResponseHead(status: 200, fields: fields.map { HTTPField("content-disposition", $0) })
        expect(FileName.suggested(by: head, from: url, asked: url), "url.bin")
    }

    @Test(arguments: [
        ("UTF-8''%e2%82%ac.txt", "€.txt"), ("utf-8'de'%c3%a4", "ä"), ("ISO-8859-1''%e4.txt", "ä.txt"),
        ("UTF-8''..%2F..%2Fx", "x"), ("UTF-8''%2e%2e%5c%2e%2e%5cx", "x"), ("UTF-8''%2Fetc%2F", "download"),
        ("UTF-8''a%00/../b", "b"), ("UTF-8''%252e%252e%252fx", "%2e%2e%2fx"),
    ])
    func `M06 filename* is decoded once and then made safe`(_ value: String, _ expected: String) throws {
        expect(try name("attachment; filename=plain; filename*=\(value)"), expected)
    }

    @Test(arguments: [
        "\"UTF-8''a\"", "UTF-8''%zz", "UTF-8''%4", "UTF-8''%", "UTF-8''%c0%af", "UTF-8''%e0%80%af", "UTF-8''%ed%a0%80",
        "UTF-8''%f5%80%80%80", "UTF-8''%ff", "GBK''%c4%e3", "UTF-16''%00a", "''a", "UTF-8'a", "a", "UTF-8''",
    ])
    func `M06 a filename* that cannot be decoded without loss is ignored in favour of filename`(_ value: String) throws {
        expect(try name("attachment; filename=plain; filename*=\(value)"), "plain")
        expect(try name("attachment; filename*=\(value)"), "url.bin")
    }

    @Test(arguments: [
        ("%41.iso", "%41.iso"), ("%2e%2e%2fx", "%2e%2e%2fx"), ("ä.iso", "ä.iso"), ("=?UTF-8?B?YQ==?=", "=_UTF-8_B_YQ==_="),
        ("日本語.zip", "日本語.zip"),
    ])
    func `M07 a plain filename is read as UTF-8 without percent-decoding`(_ proposed: String, _ expected: String) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        ("e\u{301}.txt", "\u{E9}.txt"), ("e\u{302}\u{301}", "\u{1EBF}"), ("か\u{3099}", "\u{304C}"),
        ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("A\u{30A}", "\u{C5}"), ("x\u{301}", "x\u{301}"),
    ])
    func `M08 letters with combining marks are stored in composed form`(_ proposed: String, _ expected: String) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        ("-rf", "_-rf"), (".bashrc", "_.bashrc"), ("~", "_~"), ("x.", "x"), ("x. . ", "x"), ("  x  ", "x"), ("a|b", "a_b"),
        ("...", "download"), ("...x", "_...x"), ("-.part", "_-.part_"), ("--output=x", "_--output=x"), ("\u{A0}x\u{3000}", "x"),
    ])
    func `M09 no name looks like an option, a hidden file or a home directory, or ends in a dot or space`(
        _ proposed: String, _ expected: String
    ) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        ("CON", "_CON"), ("nul", "_nul"), ("AUX.txt", "_AUX.txt"), ("COM1", "_COM1"), ("LPT¹", "_LPT¹"), ("prn .tar.gz", "_prn .tar.gz"),
        ("CONIN$", "_CONIN$"), ("COM10", "COM10"), ("console.txt", "console.txt"), ("con", "_con"),
    ])
    func `M10 Windows device names get a leading underscore on every system`(_ proposed: String, _ expected: String) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        ("http://h/%2e%2e%2f", "download"), ("http://h/a/%2e%2e", "download"), ("http://h/%2Fetc%2Fpasswd", "passwd"),
        ("http://h/a/../b.txt", "b.txt"), ("http://h/", "download"), ("http://h", "download"), ("http://h/a/", "download"),
        ("http://h/f;params", "f;params"), ("http://h/a/file.iso?x=../..", "file.iso"), ("http://h/a/b.iso#../x", "b.iso"),
        ("http://h/%5C%5Chost%5Cx", "x"), ("http://h/a%00b", "ab"), ("http://h/%252e%252e", "%2e%2e"), ("http://h/%E4", "ä"),
        ("http://h/%C3%A4", "ä"), ("http://h/-rf", "_-rf"), ("http://h/.part", "_.part_"),
    ])
    func `M11 the last path component of a URL is decoded once and made safe`(_ url: String, _ expected: String) throws {
        expect(try name(url: url), expected)
    }

    @Test(arguments: [
        ("x.part", "x.part_"), ("x.PAWL", "x.PAWL_"), ("x.part. ", "x.part_"), (".pawl", "_.pawl_"), ("x.part%00", "x.part%00"),
    ])
    func `M13 a server cannot propose the names of Pawl's own files`(_ proposed: String, _ expected: String) throws {
        expect(try name(quoted(proposed)), expected)
    }

    @Test(arguments: [
        ("a.iso", ["a.iso"]), ("sub/dir/a.iso", ["sub", "dir", "a.iso"]), ("a..b/c", ["a..b", "c"]), ("CON/x.part", ["_CON", "x.part_"]),
        ("/etc/passwd", nil), ("./a", nil), ("../a", nil), ("a/../b", nil), ("a/..", nil), ("a/./b", nil), ("a//b", nil), ("a/", nil),
        ("", nil), ("..", nil), (".", nil), ("..\\a", nil), ("C:\\a", nil), ("a/\u{200B}", nil), ("a\u{0}/b", nil),
    ] as [(String, [String]?)])
    func `M14 a file name in a Metalink becomes a relative path of safe components, or is refused`(
        _ proposed: String, _ expected: [String]?
    ) {
        #expect(FileName.metalinkPath(proposed) == expected)
    }
}
