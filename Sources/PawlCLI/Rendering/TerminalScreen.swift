/// A block of lines at the bottom of the terminal's output that is redrawn in place, with permanent lines above it.
///
/// The cursor rests at the beginning of the line below the block and is never hidden, so a program killed at any moment
/// leaves a terminal that needs no repair. Each change is one text, written at once.
struct TerminalScreen {
    /// The columns of each line of the block as it was drawn last.
    private var shown: [Int] = []

    /// Draws `block` in place of the one before it.
    mutating func draw(_ block: [StyledLine], width: Int, coloured: Bool) -> String {
        let text = block.map { $0.text(coloured: coloured) + Self.clearLine + "\n" }.joined()
        defer { shown = block.map(\.columns) }
        return backToTop(width) + text + (block.count < rows(width) ? Self.clearBelow : "")
    }

    /// Writes a line that stays, and takes the block away until it is drawn again.
    mutating func write(_ line: String, width: Int) -> String {
        clear(width: width) + line + "\n"
    }

    mutating func clear(width: Int) -> String {
        guard !shown.isEmpty else { return "" }
        defer { shown = [] }
        return backToTop(width) + Self.clearBelow
    }

    /// Forgets the block after another program has written below it. The block is left in place, and the next one is
    /// drawn at the cursor.
    mutating func forget() { shown = [] }

    private static let clearLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"

    private func backToTop(_ width: Int) -> String {
        let rows = rows(width)
        return rows == 0 ? "" : "\r\u{1B}[\(rows)A"
    }

    /// A terminal that has become narrower since has wrapped the lines.
    private func rows(_ width: Int) -> Int {
        shown.reduce(0) { $0 + max(1, ($1 + width - 1) / max(1, width)) }
    }
}
