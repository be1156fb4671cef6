import PawlJobs
import Testing

@Suite struct URLPatternTests {
    private func urls(_ text: String) throws -> [String] {
        let pattern = try URLPattern(parsing: text)
        return (0..<pattern.count).map { pattern.expansion($0).url }
    }

    @Test(
        arguments: [
            ("h/[1-3]", ["h/1", "h/2", "h/3"]),
            ("h/[08-11]", ["h/08", "h/09", "h/10", "h/11"]),
            ("h/[0-010:5]", ["h/000", "h/005", "h/010"]),
            ("h/[1-9:4]x", ["h/1x", "h/5x", "h/9x"]),
            ("h/[7-7]", ["h/7"]),
            ("h/[1-2:999999999999999999]", ["h/1"]),
            ("h/[a-f:2]", ["h/a", "h/c", "h/e"]),
            ("h/[X-Z]", ["h/X", "h/Y", "h/Z"]),
            ("h/{one,two}.txt", ["h/one.txt", "h/two.txt"]),
            ("h/{,a}", ["h/", "h/a"]),
            ("h/{a,b}[1-2]", ["h/a1", "h/a2", "h/b1", "h/b2"]),
            ("h/{a\\,b,c\\}}", ["h/a,b", "h/c}"]),
            ("h/\\[1-2\\]\\{a,b\\}\\\\\\x", ["h/[1-2]{a,b}\\\\x"]),
        ] as [(String, [String])])
    func `a pattern yields the URLs it stands for`(text: String, expected: [String]) throws {
        #expect(try urls(text) == expected)
    }

    /// IPv6 addresses, and brackets as real servers and identifiers use them.
    @Test(arguments: [
        "http://[::1]/a", "http://u:p@[2001:db8::7]:8080/a", "http://[fe80::1%25eth0-1]/", "http://[::ffff:192.0.2.1]/",
        "http://[::ü]/a", "http://u@[::g]:80/",
        "h/a?ids[]=1", "h/a?x={}", "h/{3F2504E0-4F89-11D3-9A0C-0305E82C3301}", "h/a]b}c,d\\e", "",
    ])
    func `text that is not a pattern is left unchanged`(text: String) throws {
        #expect(try urls(text) == [text])
    }

    @Test(arguments: [
        ("h/[1-", "A “[” in the URL has no “]”."), ("h/[9-1]", "“[9-1]” in the URL is not a range."),
        ("h/[2024-01]", "“[2024-01]”"), ("h/[a-Z]", "“[a-Z]”"), ("h/[Z-a]", "“[Z-a]”"), ("h/[z-a]", "“[z-a]”"),
        ("h/[a-9]", "“[a-9]”"),
        ("h/[1-9:0]", "“[1-9:0]”"), ("h/[1-9:]", "“[1-9:]”"), ("http://h/[1-9:2:3]", "“[1-9:2:3]”"),
        ("h/[1-2-3]", "“[1-2-3]”"), ("h/[-3]", "“[-3]”"),
        ("h/[1-1234567890123456789]", "is not a range"), ("h/[name]=x", "“[name]”"), ("h/[１-３]", "is not a range"),
        ("h/[ab-cd]", "is not a range"),
        ("h/{a,b", "A “{” in the URL has no “}”."), ("h/{a,{b,c}}", "cannot be nested"),
        ("h/{a,[1-2]}", "cannot be nested"),
    ])
    func `a pattern error says what is wrong and how a pattern is written`(text: String, part: String) {
        let error = #expect(throws: URLPatternError.self) { try URLPattern(parsing: text) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("[001-120]") == true)
    }

    @Test func `a pattern yields at most the limit of URLs, in every way of exceeding it`() throws {
        #expect(try URLPattern(parsing: "h/[1-100000]").count == 100_000)
        #expect(try URLPattern(parsing: "h/[1-1000][0-99]").expansion(99_999).url == "h/100099")
        for text in ["h/[0-100000]", "h/[1-1000][0-100]", "h/" + String(repeating: "[0-999999999999999999]", count: 9)]
        {
            let error = #expect(throws: URLPatternError.self) { try URLPattern(parsing: text) }
            #expect(error?.message.contains("more than 100000 URLs") == true)
        }
    }

    @Test func `a file name includes the values chosen by the pattern`() throws {
        let pattern = try URLPattern(parsing: "h/{a/b,c}/[01-02]")
        let name = try NamePattern(parsing: "#2 of #1#.bin#", choiceCount: pattern.choiceCount)
        #expect(name.varies)
        #expect(
            (0..<pattern.count).map { name.name(pattern.expansion($0).values) } == [
                "01 of a_b#.bin#", "02 of a_b#.bin#", "01 of c#.bin#", "02 of c#.bin#",
            ])
        #expect(try !NamePattern(parsing: "C#.txt", choiceCount: 2).varies)
        let plain = try NamePattern(parsing: "track #1", choiceCount: 0)
        #expect(plain.name([]) == "track #1")
    }

    @Test(arguments: ["#0", "a#3", "#99999999999999999999"])
    func `a file name that refers to a missing pattern is refused`(text: String) {
        let error = #expect(throws: URLPatternError.self) { try NamePattern(parsing: text, choiceCount: 2) }
        #expect(error?.message.contains("#1 to #2") == true)
    }
}
