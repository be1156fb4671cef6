extension FileName {
    /// Makes a harmless file name out of any text: one path component that no system takes for something else, of at
    /// most `byteLimit` bytes, never empty, never `.` or `..` (RFC 6266 §4.3). Sanitizing twice changes nothing more.
    package static func sanitize(_ proposed: String) -> String {
        if isHarmlessAtOnce(proposed.utf8) { return proposed }
        // By scalars: in `Character`s, a slash that a combining mark follows is no slash.
        let lastComponent = proposed.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
            .last
        var scalars: [Unicode.Scalar] = []
        for scalar in lastComponent ?? proposed.unicodeScalars[...] {
            if isJoiner(scalar) {
                scalars.append(scalar)
            } else if let replacement = replacement(for: scalar) {
                scalars.append(replacement)
            }
        }
        // Composed afterwards: a joiner keeps letters from being composed, and most joiners go.
        var name = trimmed(composed(withoutIdleJoiners(scalars)))
        if name.isEmpty { name = fallback }
        // Each rule may undo another: a cut can uncover a trailing dot, a suffix can make the name too long. Every pass
        // that changes something either shortens the name or adds an underscore that stays, so this comes to rest after
        // a few.
        while true {
            let revised = revise(name)
            if revised == name { return name }
            name = revised
        }
    }

    /// Whether no rule has anything to say, as of most names: ASCII letters, digits and `._-`, in a stem that is no
    /// device's.
    private static func isHarmlessAtOnce(_ name: String.UTF8View) -> Bool {
        guard let first = name.first, let last = name.last, name.count <= byteLimit,
            ASCII.isAlphanumeric(first), ASCII.isAlphanumeric(last)
        else { return false }
        var stem: Int?
        for (place, byte) in name.enumerated() {
            if byte == UInt8(ascii: ".") {
                stem = stem ?? place
            } else if !ASCII.isAlphanumeric(byte), byte != UInt8(ascii: "_"), byte != UInt8(ascii: "-") {
                return false
            }
        }
        // Devices have three letters, or three and a digit.
        return (stem ?? name.count) > 4 && !isReserved(String(name))
    }

    /// The parts of the path that a Metalink gives a file (RFC 5854 §4.1.2.1), each made harmless. Nil for a path that
    /// is absolute or steps anywhere but down: such a list is wrong or worse, and a guess at what it meant would be
    /// ours.
    package static func metalinkPath(_ name: String) -> [String]? {
        let parts = name.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // RFC 5854 forbids `.` and `..` where they lead out; nobody needs them elsewhere. Nor what is nothing once it
        // is made harmless.
        let isHarmless = parts.allSatisfy { part in
            part != "." && part != ".." && !part.unicodeScalars.contains { $0 == "\\" || $0 == "\0" }
                && part.unicodeScalars.contains {
                    replacement(for: $0) != nil && $0 != "." && !$0.properties.isWhitespace
                }
        }
        return isHarmless ? parts.map(sanitize) : nil
    }

    /// Applies the rules that look at the name as a whole, once.
    private static func revise(_ name: String) -> String {
        var name = name
        if hasRiskyStart(name) || isDeviceName(name) { name = "_" + name }
        if isReserved(name) { name += "_" }
        let (stem, suffix) = split(name)
        name = cut(stem, toBytes: byteLimit - suffix.utf8.count) + suffix
        // What a joiner joined may have been cut off.
        return trimmed(withoutIdleJoiners(Array(name.unicodeScalars)))
    }

    /// Returns the replacement of a scalar; nil for one that is dropped.
    private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if ":*?\"<>|".unicodeScalars.contains(scalar) { return "_" }
        // A name that goes on after these is a lie about where it ends, or steers a terminal.
        if ["\u{0}", "\n", "\r", "\u{1B}"].contains(scalar) { return nil }
        // U+FFFD stands for bytes that were lost before they came here.
        if scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0xFFFD { return "_" }
        // A server's name is text: a byte that is none would be one that no keyboard types.
        if scalar.systemByte != nil { return "_" }
        let properties = scalar.properties
        switch properties.generalCategory {
        // C1 controls; bidirectional overrides and isolates, zero-width characters, tags; line and paragraph
        // separators. Joiners that join something never come here.
        case .control, .format, .lineSeparator, .paragraphSeparator: return nil
        // Fillers that look like nothing. Variation selectors look like nothing too, but choose how an emoji looks.
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector ? nil : scalar
        }
    }

    /// Returns a name without white space at either end and without dots at the end, which some systems drop on their
    /// own.
    private static func trimmed(_ name: String) -> String {
        let scalars = name.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace && $0 != "." }
        guard let end else { return "" }
        return String(scalars[...end])
    }

    /// A leading `-` is an option to many programs, a leading `.` hides the file, a leading `~` is a home directory to
    /// a shell.
    private static func hasRiskyStart(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first else { return false }
        return first == "-" || first == "." || first == "~"
    }

    /// Names that mean a device on Windows, with any extension and in any case.
    private static func isDeviceName(_ name: String) -> Bool {
        let stem = trimmed(String(name.unicodeScalars.prefix { $0 != "." })).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT"), let digit = stem.last else {
            return false
        }
        return "0123456789¹²³".contains(digit)
    }
}
