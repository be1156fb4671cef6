extension FileName {
    /// Returns the same text for all spellings of a name or a path that some disk takes for one: disks fold case or
    /// Unicode forms, or leave out what nobody sees, and dots and blanks at the end.
    package static func folded(_ name: String) -> String {
        // As fast as it can be for most names.
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else {
            var bytes = name.lowercased().utf8[...]
            while let last = bytes.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { bytes.removeLast() }
            return String(Substring(bytes))
        }
        var scalars = caseFolded(name).unicodeScalars
        scalars.removeAll { !$0.isASCII && $0.properties.isDefaultIgnorableCodePoint }
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        return String(scalars)
    }

    /// Returns the same text for all spellings that differ only in case or in their Unicode form: strings are equal,
    /// and have one hash, by canonical equivalence.
    package static func caseFolded(_ name: String) -> String {
        name.utf8.allSatisfy { $0 < 0x80 } ? name.lowercased() : name.uppercased().lowercased()
    }
}
