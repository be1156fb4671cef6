import PawlOptions

extension String {
    /// Each paragraph broken between words.
    func wrapped(to columns: Int) -> String { HelpText.wrapped(self, columns, width: Self.columns) }

    /// Without the sequences that colour a word.
    private static func columns(of word: String) -> Int {
        var (visible, isHidden) = (String.UnicodeScalarView(), false)
        for scalar in word.unicodeScalars {
            if scalar == "\u{1B}" { isHidden = true }
            if !isHidden { visible.append(scalar) }
            if scalar == "m" { isHidden = false }
        }
        return String(visible).columns
    }
}
