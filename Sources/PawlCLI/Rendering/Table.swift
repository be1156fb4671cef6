/// A table of two or more aligned columns of text.
struct Table {
    private var rows: [[String]] = []

    mutating func row(_ cells: String...) { rows.append(cells) }

    /// Returns each row as a line. The cells go through ``Swift/String/shown(in:)``.
    ///
    /// - Parameter columns: how wide a line may be. Where one is wider, the last cells are put below the others.
    func text(in locale: Locale, columns: Int = .max) -> String {
        let shown = rows.map { $0.map { $0.shown(in: locale) } }
        let lines = Self.aligned(shown)
        guard lines.contains(where: { $0.columns > columns }) else { return lines.map { $0 + "\n" }.joined() }
        return zip(Self.aligned(shown.map { Array($0.dropLast()) }), shown).map { line, row in
            let rest = (row.last ?? "").wrapped(to: columns - 4).utf8.split(separator: UInt8(ascii: "\n"))
            return line + "\n" + rest.map { "    \(Substring($0))\n" }.joined()
        }.joined()
    }

    private static func aligned(_ shown: [[String]]) -> [String] {
        let count = shown.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            shown.map { column < $0.count - 1 ? $0[column].columns : 0 }.max() ?? 0
        }
        return shown.map { row in
            let cells = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: max(0, widths[column] - cell.columns))
            }
            return String(withoutTrailingSpaces(cells.joined(separator: "  ")))
        }
    }

    private static func withoutTrailingSpaces(_ line: String) -> Substring {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return line
    }
}
