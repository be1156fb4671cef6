/// Two or more columns of text, aligned.
struct Table {
    private var rows: [[String]] = []

    mutating func row(_ cells: String...) { rows.append(cells) }

    /// Each row as a line. The cells go through ``Swift/String/shown(in:)``.
    func text(in locale: Locale) -> String {
        let shown = rows.map { $0.map { $0.shown(in: locale) } }
        let count = shown.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            shown.map { column < $0.count - 1 ? $0[column].columns : 0 }.max() ?? 0
        }
        return shown.map { row in
            let cells = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: max(0, widths[column] - cell.columns))
            }
            return Self.withoutTrailingSpaces(cells.joined(separator: "  ")) + "\n"
        }.joined()
    }

    private static func withoutTrailingSpaces(_ line: String) -> Substring {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return line
    }
}
