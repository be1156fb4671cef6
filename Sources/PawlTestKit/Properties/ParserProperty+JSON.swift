internal import PawlCore

extension ParserProperty {
    /// A parsed value survives encoding and parsing again.
    static func json(_ bytes: [UInt8]) throws(Violation) {
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let written = value.encoded
        guard let again = try? JSONValue(parsing: Array(written.utf8)) else {
            throw Violation(description: "\(written) is not read")
        }
        try claim(again.encoded.utf8.elementsEqual(written.utf8), "\(written) is read otherwise")
        let isSafe = written.unicodeScalars.allSatisfy { !$0.steersTerminal }
        try claim(isSafe, "\(written) has control characters")
    }
}
