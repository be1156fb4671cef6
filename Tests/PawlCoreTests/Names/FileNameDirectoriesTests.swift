import PawlCore
import Testing

struct FileNameDirectoriesTests {
    @Test(
        arguments: [
            ("https://example.org/a/b/c.iso", ["example.org", "a", "b"]),
            ("https://EXAMPLE.org/c.iso", ["example.org"]),
            ("https://example.org/", ["example.org"]),
            ("https://example.org/a/", ["example.org", "a"]),
            ("http://127.0.0.1:8080/a/b", ["127.0.0.1+8080", "a"]),
            ("http://[::1]:8080/a/b", ["[__1]+8080", "a"]),
            ("https://h//a///b", ["h", "a"]),
            ("https://h/%2e%2e/%2E/x", ["h", "_", "_"]),
            ("https://h/..%2f..%2fetc/passwd", ["h", "_.._.._etc"]),
            ("https://h/a%5Cb/c", ["h", "a_b"]),
            ("https://h/%20/x", ["h", "_"]),
            ("https://h/caf%C3%A9/%E9/x", ["h", "caf\u{E9}", "\u{E9}"]),
            ("https://h/NUL/con.d/x", ["h", "_NUL", "_con.d"]),
            ("https://h/a.part/b.pawl/x", ["h", "a.part_", "b.pawl_"]),
            ("https://h/-rf/.git/~/x", ["h", "_-rf", "_.git", "_~"]),
            ("https://h/a%00b/x", ["h", "ab"]),
        ] as [(String, [String])])
    func `the directories of a URL's path are harmless names, one for each segment`(
        url: String, directories: [String]
    ) throws {
        #expect(FileName.directories(of: try HTTPURL(parsing: url)) == directories)
    }

    @Test func `bytes that are not UTF-8 are read in a directory's name as they are in a file's`() throws {
        let names = FileName.directories(of: try HTTPURL(parsing: "https://h/%E9%FF/x"))
        let file = FileName.choose(contentDisposition: nil, url: try HTTPURL(parsing: "https://h/%E9%FF"))
        #expect(names == ["h", file])
    }

    @Test func `a directory's name is never too long`() throws {
        let names = FileName.directories(of: try HTTPURL(parsing: "https://h/\(String(repeating: "x", count: 999))/y"))
        #expect(names.count == 2 && names[1].utf8.count == FileName.byteLimit)
    }
}
