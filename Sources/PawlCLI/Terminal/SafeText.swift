import PawlCore

extension String {
    /// The text on one line, safe for a terminal or a log.
    ///
    /// Names, URLs and messages can hold what a server chose. Control characters and escape sequences could steer the
    /// terminal; marks that turn the direction of writing, and characters without width, could make one name look like
    /// another. They are written as `\u{1B}` is, and a byte that is not UTF-8 as `\xE9`.
    func shown(in locale: Locale) -> String {
        var shown = ""
        var last: Unicode.Scalar = " "
        for scalar in unicodeScalars {
            defer { last = scalar }
            if scalar == "\n" {
                shown.append(" ")
            } else if locale == .utf8, FileName.isJoiner(scalar), !last.isASCII, !FileName.isJoiner(last) {
                // Spelling, as in Persian, or an emoji of several.
                shown.unicodeScalars.append(scalar)
            } else if let escape = scalar.terminalEscape {
                shown.append(escape)
            } else if scalar.isASCII || locale == .utf8 {
                shown.unicodeScalars.append(scalar)
            } else {
                shown.append(scalar.nearestASCII)
            }
        }
        return shown
    }

    /// The number of columns of the text in a terminal; the text must have gone through ``shown(in:)``.
    var columns: Int {
        unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    /// The longest beginning that fits, its last character an ellipsis when something was cut off.
    func fitted(to width: Int, ellipsis: String) -> String {
        guard columns > width else { return self }
        var fitted = String.UnicodeScalarView()
        var left = width - ellipsis.columns
        for scalar in unicodeScalars {
            left -= scalar.columns
            guard left >= 0 else { break }
            fitted.append(scalar)
        }
        return width < ellipsis.columns ? "" : String(fitted) + ellipsis
    }

    /// The beginning and the end, with an ellipsis between them when the text does not fit: names of one series differ
    /// at their ends.
    func fittedInMiddle(to width: Int, ellipsis: String) -> String {
        let room = width - ellipsis.columns
        guard columns > width, room > 1 else { return fitted(to: width, ellipsis: ellipsis) }
        var left = room / 2
        let end = unicodeScalars.reversed().prefix { scalar in
            left -= scalar.columns
            return left >= 0
        }
        // A mark without its letter would be put on the ellipsis.
        let whole = String(String.UnicodeScalarView(end.reversed().drop { $0.columns == 0 }))
        let start = fitted(to: room - whole.columns + ellipsis.columns, ellipsis: ellipsis)
        return start + whole
    }
}

/// Fills with spaces on the left.
func padded(_ text: String, toWidth width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

extension Unicode.Scalar {
    fileprivate var nearestASCII: String {
        switch self {
        case "“", "”", "„": "\""
        case "‘", "’": "'"
        case "–", "—": "-"
        case "…": "..."
        case "×": "x"
        case "≤": "<="
        case "\u{A0}": " "
        default: "?"
        }
    }

    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        case .format: return FileName.isJoiner(self) ? 0 : 1
        default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The blocks that UAX #11 calls wide, roughly: too wide a guess shortens a line, too narrow a guess wraps it.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
