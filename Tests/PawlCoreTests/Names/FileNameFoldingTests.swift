import PawlCore
import Testing

struct FileNameFoldingTests {
    @Test(arguments: [
        ["Caf\u{E9}.bin", "cafe\u{301}.BIN", "CAF\u{C9}.bin. .", "caf\u{E9}\u{200B}.bin", "\u{FEFF}Caf\u{E9}.bin"],
        ["a", "A", "a.", "A ", "a. . "], ["stra\u{DF}e", "STRASSE"], ["k", "\u{212A}", "K."],
        ["\u{3C2}", "\u{3C3}", "\u{3A3}"], ["", ".", " ", "\u{200D}"],
    ])
    func `D29 spellings that some disk takes for one fold to one text`(_ spellings: [String]) {
        #expect(Set(spellings.map(FileName.folded)).count == 1, "\(spellings.map(FileName.folded))")
        for spelling in spellings { #expect(FileName.folded(FileName.folded(spelling)) == FileName.folded(spelling)) }
    }

    @Test func `D29 names that no disk takes for one fold to different texts`() {
        let names = [
            "a", "b", "a.b", "a b", ".a", "e", "\u{E9}", "a (1)", "caf\u{10FEE9}", "caf\u{10FEE8}", "caf\u{E9}",
        ]
        #expect(Set(names.map(FileName.folded)).count == names.count)
    }

    @Test func `D29 only case and the Unicode form fold where the end of a name counts`() {
        #expect(FileName.caseFolded("A\u{C9}") == FileName.caseFolded("ae\u{301}"))
        #expect(FileName.caseFolded("a.") != FileName.caseFolded("a"))
        #expect(FileName.caseFolded("a\u{200B}") != FileName.caseFolded("a"))
    }
}
