import Testing

@testable import PawlJobs

@Suite struct ShellWordsSplittingTests {
    @Test(
        arguments: [
            ("a b", ["a", "b"]), ("  a\t b\n", ["a", "b"]), ("", []), ("'a b' c", ["a b", "c"]), ("a'b c'd", ["ab cd"]),
            ("\"a b\"", ["a b"]), ("\"a\\\"b\\\\c\\d\"", ["a\"b\\c\\d"]), ("a\\ b", ["a b"]), ("''", [""]),
            ("a \"\" b", ["a", "", "b"]),
            ("'it'\\''s'", ["it's"]), ("$HOME *.iso; x | y", ["$HOME", "*.iso;", "x", "|", "y"]),
            ("a\u{301} b", ["a\u{301}", "b"]), ("a \\\n b\\\nc \"d\\\ne\"", ["a", "bc", "de"]),
            ("$'it\\'s\\n\\x21\\u00e9\\041\\\\'$", ["it's\n!é!\\$"]), ("$'a", nil), ("$'\\ud800'", nil),
            ("$'\\uD83D\\uDE00 \\U0001F600'", ["😀 😀"]), ("$'\\uD83D\\u0041'", nil), ("$'\\uDE00\\uD83D'", nil),
            ("$'\\uD83D\\uDE'", nil), ("$'\\uD83Dx'", nil),
            ("'a", nil), ("\"a", nil), ("a\\", nil), ("\"a\\", nil),
        ] as [(String, [String]?)])
    func `a line is split as a shell splits it, and no other character is special`(
        _ line: String, _ expected: [String]?
    ) {
        #expect(ShellWords.split(line) == expected)
    }

    @Test func `M19 a word with bytes that are not UTF-8 is joined so that a shell gives those bytes back`()
        throws
    {
        let word = "it's caf\u{10FEE9}\\ 7"
        let line = try #require(ShellWords.join(["printf", "%s", word]))
        #expect(line == "printf %s $'it\\'s caf\\351\\\\ 7'")
        #expect(ShellWords.join(["\u{E000}"]) == nil)
    }

    @Test(arguments: ["|", ";", "&", "<", ">", "(", ")", "`", "$", "\n"])
    func `a shell's character is a problem of a command, unless it is quoted`(_ special: Character) throws {
        let scalar = try #require(special.unicodeScalars.first)
        #expect(throws: ShellWords.Problem.special(scalar)) {
            try ShellWords.split("a\(special)b".unicodeScalars, asCommand: true)
        }
        #expect(try ShellWords.split("a'\(special)'b".unicodeScalars, asCommand: true) == ["a\(special)b"])
    }

    @Test func `joined bytes that are not UTF-8 are split into the same`() throws {
        let word = "caf\u{10FEE9}"
        #expect(ShellWords.split(try #require(ShellWords.join([word]))) == [word])
    }

    @Test(arguments: [["a", "b c"], ["it's", ""], ["$x", "\"", "\\"], ["a\u{301}'"], ["a'\u{301}; b"]])
    func `joined words are split into the same words`(_ words: [String]) throws {
        #expect(ShellWords.split(try #require(ShellWords.join(words))) == words)
    }
}
