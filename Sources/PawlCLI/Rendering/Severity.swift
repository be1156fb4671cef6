/// The severity of a line on stderr, given in words, and on a terminal in colour too.
enum Severity {
    case note, warning, error

    /// `pawl: error: ` and its like, in front of a message.
    func label(_ style: DisplayStyle = .current) -> String {
        switch self {
        case .note: "pawl: "
        case .warning: "pawl: " + StyledLine("warning:", .caution).text(coloured: style.isColoured) + " "
        case .error: "pawl: " + StyledLine("error:", .alarm).text(coloured: style.isColoured) + " "
        }
    }

    /// A line for stderr.
    func line(_ message: String, _ style: DisplayStyle = .current) -> String {
        label(style) + message.shown(in: style.locale)
    }
}
