extension String {
    /// Each paragraph broken between words. Lines that begin with a blank stay as they are: commands to be copied,
    /// examples.
    func wrapped(to columns: Int) -> String {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { paragraph in
            guard paragraph.first != UInt8(ascii: " ") else { return String(Substring(paragraph)) }
            var lines: [(text: String, columns: Int)] = []
            for bytes in paragraph.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
                let word = Substring(bytes)
                let width = Self.columns(of: word)
                if let last = lines.last, last.columns + 1 + width <= columns {
                    lines[lines.count - 1] = (last.text + " " + word, last.columns + 1 + width)
                } else {
                    lines.append((String(word), width))
                }
            }
            return lines.map(\.text).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Without the sequences that colour a word.
    private static func columns(of word: Substring) -> Int {
        var (visible, isHidden) = (String.UnicodeScalarView(), false)
        for scalar in word.unicodeScalars {
            if scalar == "\u{1B}" { isHidden = true }
            if !isHidden { visible.append(scalar) }
            if scalar == "m" { isHidden = false }
        }
        return String(visible).columns
    }
}
