extension FileName {
    /// U+200C ZERO WIDTH NON-JOINER, U+200D ZERO WIDTH JOINER: spelling in Persian and Indic scripts, and the glue of
    /// many emoji.
    package static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{200C}" || scalar == "\u{200D}" }

    /// Returns a name without the joiners that make no visible difference, and so would only make two names look the
    /// same: those between letters of other scripts, at either end of the name, and behind another joiner.
    static func withoutIdleJoiners(_ scalars: [Unicode.Scalar]) -> String {
        var kept = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            if isJoiner(scalar), !hasEffect(scalar, between: kept, and: next) { continue }
            kept.append(scalar)
        }
        return String(kept)
    }

    private static func hasEffect(
        _ joiner: Unicode.Scalar, between before: String.UnicodeScalarView, and next: Unicode.Scalar?
    ) -> Bool {
        guard let last = before.last, let next, !isJoiner(next) else { return false }
        // A virama and a joiner choose the form of the letter before them, whatever follows (RFC 5892 appendix A).
        if last.properties.canonicalCombiningClass == .virama { return true }
        if isJoining(last), isJoining(next) { return true }
        guard joiner == "\u{200D}", isPictograph(next) else { return false }
        // U+FE0F asks for the coloured form of the emoji before it.
        guard last == "\u{FE0F}" else { return isPictograph(last) }
        return before.dropLast().last.map(isPictograph) ?? false
    }

    /// A letter or mark of a script whose letters take their form from their neighbours.
    private static func isJoining(_ scalar: Unicode.Scalar) -> Bool {
        guard joiningBlocks.contains(where: { $0.contains(scalar.value) }) else { return false }
        switch scalar.properties.generalCategory {
        case .otherLetter, .modifierLetter, .uppercaseLetter, .lowercaseLetter, .nonspacingMark, .spacingMark:
            return true
        default: return false
        }
    }

    /// The blocks of scripts whose letters join, as a whole: the standard library does not tell the script or the
    /// joining type.
    private static let joiningBlocks: [ClosedRange<UInt32>] = [
        // Arabic, Syriac, N'Ko, Mandaic; Devanagari to Sinhala; Tibetan, Myanmar.
        0x0600...0x0DFF, 0x0F00...0x109F,
        // Philippine scripts, Khmer, Mongolian; Limbu to Vedic extensions.
        0x1700...0x18AF, 0x1900...0x1CFF,
        // Syloti Nagri to Saurashtra, Devanagari extended; Javanese to Meetei Mayek.
        0xA800...0xA95F, 0xA980...0xABFF,
        // Arabic presentation forms; Kharoshthi to the Indic scripts of the supplementary plane; Adlam.
        0xFB50...0xFDFF, 0xFE70...0xFEFC, 0x10A00...0x11FFF, 0x1E900...0x1E95F,
    ]

    /// Whether a scalar is a pictograph, and not one of the digits and signs of ASCII and Latin-1 that are emoji by
    /// name only.
    private static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x2100 && scalar.properties.isEmoji
    }
}
