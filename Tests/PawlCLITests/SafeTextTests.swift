import Testing

@testable import PawlCLI

/// FAULTS M03.
@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain – “text” é 漢", "plain – “text” é 漢"),
        ("\u{1B}[2J\u{7}", "\\u{1B}[2J\\u{7}"),
        ("a\r\nb\tc", "a\\u{D} b\\u{9}c"),
        ("\u{9B}31m\u{7F}", "\\u{9B}31m\\u{7F}"),
        ("gpj\u{202E}exe", "gpj\\u{202E}exe"),
        ("a\u{2066}\u{200B}\u{FEFF}\u{2028}", "a\\u{2066}\\u{200B}\\u{FEFF}\\u{2028}"),
    ])
    func `characters that control a terminal or the direction of text are shown as escapes`(text: String, shown: String)
    {
        #expect(text.shown(in: .utf8) == shown)
    }

    @Test func `M19 a byte that is not UTF-8 is shown as an escape`() {
        #expect("caf\u{10FEE9}.bin".shown(in: .utf8) == "caf\\xE9.bin")
        #expect("caf\u{10FEE9}.bin".shown(in: .ascii) == "caf\\xE9.bin")
    }

    @Test func `a terminal without UTF-8 gets ASCII`() {
        #expect("“é” – …".shown(in: .ascii) == "\"?\" - ...")
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢漢漢", 6, "漢漢漢"), ("漢漢漢", 5, "漢漢…"), ("漢漢漢", 4, "漢…"),
        ("abc", 1, "…"), ("abc", 0, ""),
    ])
    func `text is cut by columns, not by characters`(text: String, width: Int, fitted: String) {
        #expect(text.fitted(to: width, ellipsis: "…") == fitted)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("disk-01.iso", 8, "disk…iso"), ("disk-01.iso", 10, "disk-….iso"), ("abcdef", 2, "a…"),
        ("漢漢漢漢", 6, "漢…漢"), ("abcdef", 0, ""), ("abcde\u{301}f", 4, "ab…f"),
    ])
    func `names are cut in the middle, so that those of one series differ`(text: String, width: Int, fitted: String) {
        #expect(text.fittedInMiddle(to: width, ellipsis: "…") == fitted)
        #expect(text.fittedInMiddle(to: width, ellipsis: "…").columns <= width)
    }
}
