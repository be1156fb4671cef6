extension FileName {
    /// Writes letters with marks as one scalar where Unicode has one, so that `é` sent in two scalars and `é` sent in
    /// one do not become two files that look the same.
    ///
    /// This is Unicode's Normalization Form C for the scripts that come decomposed in practice (Latin, Greek, Cyrillic,
    /// kana, Hangul), and leaves all others as they came. The standard library offers no normalization, but compares
    /// and hashes characters by canonical equivalence, and that is enough to look the composed form up.
    static func composed(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for character in name {
            if character.unicodeScalars.count > 1, let single = composedScalars[character] ?? hangulSyllable(character)
            {
                scalars.append(single)
            } else {
                scalars.append(contentsOf: character.unicodeScalars)
            }
        }
        return String(scalars)
    }

    /// Every scalar of those scripts by the character it stands for. Of several equivalent ones the first counts, which
    /// is the one that Normalization Form C keeps.
    private static let composedScalars: [Character: Unicode.Scalar] = {
        let blocks: [ClosedRange<UInt32>] = [0x00C0...0x058F, 0x1E00...0x1FFF, 0x3041...0x30FF]
        let scalars = blocks.joined().compactMap(Unicode.Scalar.init).filter {
            $0.properties.canonicalCombiningClass == .notReordered
        }
        return Dictionary(scalars.map { (Character($0), $0) }, uniquingKeysWith: { first, _ in first })
    }()

    /// Composes a Hangul syllable by arithmetic (The Unicode Standard, §3.12).
    private static func hangulSyllable(_ character: Character) -> Unicode.Scalar? {
        let values = character.unicodeScalars.map(\.value)
        let (leadBase, vowelBase, trailBase): (UInt32, UInt32, UInt32) = (0x1100, 0x1161, 0x11A7)
        guard values.count == 2 || values.count == 3 else { return nil }
        if values.count == 2, (0xAC00..<0xD7A4).contains(values[0]), (values[0] - 0xAC00) % 28 == 0 {
            // A syllable of two letters, already composed, and its final consonant.
            guard (trailBase + 1..<trailBase + 28).contains(values[1]) else { return nil }
            return Unicode.Scalar(values[0] + values[1] - trailBase)
        }
        guard (leadBase..<leadBase + 19).contains(values[0]), (vowelBase..<vowelBase + 21).contains(values[1]) else {
            return nil
        }
        let syllable = 0xAC00 + ((values[0] - leadBase) * 21 + (values[1] - vowelBase)) * 28
        guard values.count == 3 else { return Unicode.Scalar(syllable) }
        guard (trailBase + 1..<trailBase + 28).contains(values[2]) else { return nil }
        return Unicode.Scalar(syllable + values[2] - trailBase)
    }
}
