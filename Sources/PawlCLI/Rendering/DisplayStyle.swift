/// How the program draws: the abilities of the terminal, and the user's wishes.
struct DisplayStyle: Hashable, Sendable {
    var locale: Locale
    var isColoured: Bool

    /// `NO_COLOR` counts when it is set and not empty (no-color.org).
    init(environment: (String) -> String?) {
        locale = Locale(environment: environment)
        isColoured = (environment("NO_COLOR") ?? "").isEmpty
    }

    init(locale: Locale, isColoured: Bool) {
        self.locale = locale
        self.isColoured = isColoured
    }

    var glyphs: Glyphs {
        switch locale {
        case .utf8: .unicode
        case .ascii: .ascii
        }
    }
}

/// The characters of bars and maps, each one column wide.
struct Glyphs: Hashable, Sendable {
    var barDone: String
    /// Half a cell done; nil where there is no such character.
    var barHalf: String?
    var barRest: String
    var stored: String
    var partly: String
    var empty: String
    var connection: String
    var ellipsis: String

    /// All but the ellipsis and the bar are in the code page of the text console too.
    static let unicode = Glyphs(
        barDone: "━", barHalf: "╸", barRest: "─", stored: "█", partly: "▒", empty: "·", connection: "►", ellipsis: "…")
    static let ascii = Glyphs(
        barDone: "#", barHalf: nil, barRest: "-", stored: "#", partly: "+", empty: ".", connection: ">",
        ellipsis: "...")
}
