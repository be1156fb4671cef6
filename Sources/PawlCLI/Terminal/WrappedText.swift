import PawlOptions

extension String {
    /// Returns the text with each paragraph broken between words.
    func wrapped(to columns: Int) -> String { HelpText.wrapped(self, columns, width: Self.columns) }

    /// Returns the columns of a word without the sequences that colour it.
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
