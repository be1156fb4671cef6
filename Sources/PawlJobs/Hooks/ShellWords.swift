import PawlCore

/// Words as they would be typed into a POSIX shell.
package enum ShellWords {
    /// Joins words into a command line; nil if a word contains something that cannot be shown and typed.
    package static func join(_ words: [String]) -> String? {
        let isUntypable = { (scalar: Unicode.Scalar) in scalar.steersTerminal && scalar.systemByte == nil }
        guard !words.contains(where: { $0.unicodeScalars.contains(where: isUntypable) }) else { return nil }
        return words.map(quoted).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "%+,-./:=@_".utf8.contains(byte)
            }
        }
        if isPlain, !word.isEmpty { return word }
        if word.holdsSystemBytes { return quotedBytes(word) }
        // Nothing is special between single quotes but their end. By bytes, as the shell reads: to Swift, a quote and a
        // mark after it are one character.
        let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
    }

    /// Bytes that are not UTF-8 as a shell takes them whatever the locale (POSIX.1-2024 §2.2.4).
    private static func quotedBytes(_ word: String) -> String {
        let scalars = word.unicodeScalars.map { scalar -> String in
            if let byte = scalar.systemByte { return "\\" + String(byte, radix: 8) }
            return scalar == "'" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
        }
        return "$'" + scalars.joined() + "'"
    }
}
