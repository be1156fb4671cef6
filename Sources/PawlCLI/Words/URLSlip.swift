/// Mistakes in the writing of a URL that leave it a valid one.
enum URLSlip {
    /// Marks that end a clause or close what surrounds a URL, and are copied with it.
    private static let endings: Set<Unicode.Scalar> = [",", ".", ";", ")", "]", ">", "\"", "'", "”", "’"]

    /// Returns a sentence about a URL that a server does not know; nil if it looks right.
    static func sentence(for url: String) -> String? {
        if url.utf8.contains(UInt8(ascii: " ")) {
            return "The space in the line became part of the URL (%20). "
                + "In a list, a name is given by out=NAME on an indented line below the URL."
        }
        if url.utf8.contains(UInt8(ascii: "*")) {
            return "Servers do not expand “*”; “pawl index URL” prints the files that a directory lists."
        }
        guard let last = url.unicodeScalars.last, endings.contains(last), !closes(last, in: url) else { return nil }
        return "The URL ends with “\(last)”, which may not belong to it."
    }

    /// Whether a bracket at the end has its partner in the URL.
    private static func closes(_ last: Unicode.Scalar, in url: String) -> Bool {
        switch last {
        case ")": url.utf8.contains(UInt8(ascii: "("))
        case "]": url.utf8.contains(UInt8(ascii: "["))
        default: false
        }
    }
}
