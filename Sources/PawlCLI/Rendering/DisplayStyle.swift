import PawlCore
import PawlSystem

/// The style of drawing: the abilities of the terminal, and the user's wishes.
struct DisplayStyle: Hashable, Sendable {
    var locale: Locale
    var isColoured: Bool

    /// The style of this process.
    static let current = DisplayStyle(
        environment: Environment.value, isTerminal: Terminal.canRedraw,
        choice: ColorChoice(in: Environment.arguments.dropFirst()))

    /// `NO_COLOR` counts when it is set and not empty (no-color.org).
    init(environment: (String) -> String?, isTerminal: Bool = true, choice: ColorChoice = .auto) {
        locale = Locale(environment: environment)
        isColoured =
            switch choice {
            case .auto: isTerminal && (environment("NO_COLOR") ?? "").isEmpty
            case .always: true
            case .never: false
            }
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

/// `--color`.
enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never

    /// Looks for the choice before anything else is read, so that errors in the other arguments are reported in colour
    /// too.
    init(in arguments: some Sequence<String>) {
        self = .auto
        var isNext = false
        for word in arguments {
            if word == "--" { return }
            if let choice = isNext
                ? Self(rawValue: word)
                : word.begins(with: "--color=")
                    ? Self(rawValue: String(decoding: word.utf8.dropFirst(8), as: UTF8.self)) : nil
            {
                self = choice
            }
            isNext = word == "--color"
        }
    }
}

/// The characters of bars and maps, each one column wide.
struct Glyphs: Hashable, Sendable {
    var barDone: String
    /// The glyph of a half-filled cell; nil if there is no such character.
    var barHalf: String?
    var barRest: String
    var stored: String
    var partly: String
    var empty: String
    var connection: String
    var ellipsis: String

    /// The glyphs of Unicode. All but the ellipsis and the bar are in the code page of the text console too.
    static let unicode = Glyphs(
        barDone: "━", barHalf: "╸", barRest: "─", stored: "█", partly: "▒", empty: "·", connection: "►", ellipsis: "…")
    static let ascii = Glyphs(
        barDone: "#", barHalf: nil, barRest: "-", stored: "#", partly: "+", empty: ".", connection: ">",
        ellipsis: "...")
}
