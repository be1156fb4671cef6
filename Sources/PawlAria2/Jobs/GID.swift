import PawlCore

/// aria2's name of a download: 16 hexadecimal digits, those that the id of the job begins with. So it survives a
/// restart, and who wants a certain GID gets a job with such an id.
package struct GID: Hashable, Sendable {
    /// The digits, in lower case.
    package let text: String

    package init(of id: String) {
        text = String(decoding: id.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(16), as: UTF8.self)
    }

    /// - Returns: nil for what is no GID: it has 16 digits, and not all of them are zero.
    package init?(_ text: String) {
        guard let digits = Self.digits(text), digits.count == 16, digits.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        self.text = String(decoding: digits, as: UTF8.self)
    }

    /// Returns 1 to 16 digits in lower case; nil for anything else.
    private static func digits(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map(ASCII.lowercased)
        let isHex = digits.allSatisfy { ASCII.isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
        return isHex && (1...16).contains(digits.count) ? digits : nil
    }

    package static func random() -> GID {
        var generator = SystemRandomNumberGenerator()
        let number = UInt64.random(in: 1 ... .max, using: &generator)
        let digits = String(number, radix: 16)
        return GID(digits: String(repeating: "0", count: 16 - digits.utf8.count) + digits)
    }

    private init(digits: String) { text = digits }

    /// The short form that aria2 shows where there is little room.
    package var short: String { String(decoding: text.utf8.prefix(6), as: UTF8.self) }

    /// Returns the prefix of the job ids that a call may mean by a GID or the beginning of one; nil if the text is
    /// neither.
    package static func idPrefix(of text: String) -> String? {
        guard let digits = digits(text) else { return nil }
        var id: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 { id.append(UInt8(ascii: "-")) }
            id.append(digit)
        }
        return String(decoding: id, as: UTF8.self)
    }

    /// The id of the job that gets this GID: one, so that of two only one can have it.
    package var id: String {
        let digits = Array(text.utf8)
        let parts = [digits[..<8], digits[8..<12], digits[12...]].map { String(decoding: $0, as: UTF8.self) }
        return parts.joined(separator: "-") + "-8000-000000000000"
    }
}
