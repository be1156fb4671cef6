import PawlJobs
import PawlTestKit
import Testing

@Suite struct DownloadListTests {
    private func entries(_ text: String) throws -> [DownloadList.Entry] {
        try DownloadList(parsing: Array(text.utf8)).entries
    }

    @Test(arguments: ["<!DOCTYPE html>\n<p>", "\n<html><body><a href=x>x</a>", "<pre><a href=x>x</a>"])
    func `a web page is told from a list`(_ text: String) throws {
        let problem = try #require(throws: DownloadList.Problem.self) { try entries(text) }
        #expect(problem.line == 0 && problem.message.contains("pawl index URL"), "\(problem)")
        #expect(try entries("<https://a.example/1>").count == 1)
    }

    @Test func `a list has one file a line, mirrors between tabs, and options below`() throws {
        let text = """
            # the disks of May

            https://a.example/1.iso\thttps://b.example/1.iso \t
              out=one.iso
            \theader = X-Key: a=b\u{20}
                # not an option
            https://a.example/2 b.iso
            """
        #expect(
            try entries(text) == [
                .init(
                    line: 3, urls: ["https://a.example/1.iso", "https://b.example/1.iso"],
                    options: [
                        .init(line: 4, name: "out", value: "one.iso"),
                        .init(line: 5, name: "header", value: "X-Key: a=b"),
                    ]),
                .init(line: 7, urls: ["https://a.example/2 b.iso"]),
            ])
    }

    @Test func `line ends, a byte order mark and a missing last line end do not change a list`() throws {
        let plain = "https://a/1\n out=x\n\nhttps://a/2\n"
        let expected = try entries(plain)
        #expect(expected.count == 2)
        #expect(try entries(plain.replacing("\n", with: "\r\n")) == expected)
        #expect(try entries("\u{FEFF}" + plain) == expected)
        #expect(try entries(String(plain.dropLast())) == expected)
        #expect(try entries("") == [])
        #expect(try entries("\r\n \t\n#") == [])
    }

    @Test(
        arguments: [
            (
                Array("\n out=x\nhttps://a/".utf8), 2,
                "Line 2 is indented like an option, but no URL precedes it. Do not indent URLs."
            ),
            (
                Array("https://a/?token=secret\n out".utf8), 2,
                "Line 2 is indented, but is not an option of the form name=value. Do not indent URLs."
            ),
            (
                Array("https://a/\n =x".utf8), 2,
                "Line 2 is indented, but is not an option of the form name=value. Do not indent URLs."
            ),
            (Array("a\nb\u{1B}[2J\n".utf8), 2, "Line 2 contains a control character; lists are plain text."),
            ([0x61, 0x0A, 0x62, 0x0A, 0xFF, 0x0A], 3, "Line 3 is not UTF-8."),
            ([0xFF, 0xFE, 0x61, 0x00], 1, "Line 1 is UTF-16. Save the list as UTF-8."),
        ] as [([UInt8], Int, String)])
    func `a list error names the line and shows none of its content`(bytes: [UInt8], line: Int, message: String) {
        #expect(throws: DownloadList.Problem(line: line, message: message)) { try DownloadList(parsing: bytes) }
    }

    @Test func `the limit on a line's length holds across chunks`() throws {
        let longest = [UInt8](repeating: 0x61, count: DownloadList.lineLimit)
        #expect(try DownloadList(parsing: longest + [0x0A]).entries.count == 1)
        var list = DownloadList()
        try list.feed([0x0A] + longest[...])
        #expect(
            throws: DownloadList.Problem(
                line: 2, message: "Line 2 is longer than 64 KiB. A list has one file per line.")
        ) {
            try list.feed([0x61])
        }
    }

    /// Quadratic work would take minutes.
    @Test func `a long list is parsed in time proportional to its length`() throws {
        let text = Array((0..<20_000).map { "https://files.example.org/archive/\($0).bin\n out=\($0)\n" }.joined().utf8)
        var list = DownloadList()
        let took = try processorTime { try list.feed(text[...]) }
        #expect(list.entries.count == 20_000)
        #expect(took < .seconds(20))
    }
}
