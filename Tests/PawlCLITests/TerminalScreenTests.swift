import Testing

@testable import PawlCLI

@Suite struct TerminalScreenTests {
    private let lines = [StyledLine("0123456789"), StyledLine("abc")]

    @Test func `the block of lines is redrawn in place`() {
        var screen = TerminalScreen()
        #expect(screen.draw(lines, width: 80, coloured: false) == "0123456789\u{1B}[K\nabc\u{1B}[K\n")
        #expect(screen.draw(lines, width: 80, coloured: false) == "\r\u{1B}[2A0123456789\u{1B}[K\nabc\u{1B}[K\n")
        #expect(screen.draw([lines[1]], width: 80, coloured: false) == "\r\u{1B}[2Aabc\u{1B}[K\n\u{1B}[J")
        #expect(screen.clear(width: 80) == "\r\u{1B}[1A\u{1B}[J")
        #expect(screen.clear(width: 80).isEmpty)
    }

    @Test func `clearing counts the rows into which a narrowed terminal has wrapped the block`() {
        var screen = TerminalScreen()
        _ = screen.draw(lines, width: 80, coloured: false)
        #expect(screen.clear(width: 4) == "\r\u{1B}[4A\u{1B}[J")
    }

    @Test func `a permanent line takes the place of the block`() {
        var screen = TerminalScreen()
        _ = screen.draw(lines, width: 80, coloured: false)
        #expect(screen.write("note", width: 80) == "\r\u{1B}[2A\u{1B}[Jnote\n")
        #expect(screen.write("note", width: 80) == "note\n")
    }

    @Test func `a forgotten block is not cleared`() {
        var screen = TerminalScreen()
        _ = screen.draw(lines, width: 80, coloured: false)
        screen.forget()
        #expect(screen.clear(width: 80).isEmpty)
    }
}

@Suite struct DisplayStyleTests {
    @Test(
        arguments: [
            ([:], .ascii), (["LANG": "en_US.UTF-8"], .utf8), (["LANG": "de_DE.utf8"], .utf8), (["LANG": "C"], .ascii),
            (["LC_ALL": "C", "LANG": "en_US.UTF-8"], .ascii), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], .utf8),
        ] as [([String: String], Locale)])
    func `the first of LC_ALL, LC_CTYPE and LANG that is not empty decides whether the terminal has UTF-8`(
        environment: [String: String], locale: Locale
    ) {
        #expect(Locale(environment: { environment[$0] }) == locale)
    }

    @Test(arguments: [([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false)] as [([String: String], Bool)])
    func `NO_COLOR turns colours off unless it is empty`(environment: [String: String], isColoured: Bool) {
        #expect(DisplayStyle(environment: { environment[$0] }).isColoured == isColoured)
    }
}
