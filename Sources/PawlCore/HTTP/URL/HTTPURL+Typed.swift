extension HTTPURL {
    /// Refuses what is a URL, but not what its writer meant: two URLs with a blank between them, or with nothing, as
    /// where a list lacks a line break. For text that a person has just written; what is stored is taken as it is.
    ///
    /// - Throws: also what ``init(parsing:)`` throws.
    package static func check(typed text: String) throws(HTTPURLError) {
        // The path of a plain one has no colon.
        if HTTPURL(plain: text) != nil { return }
        let bytes = ASCII.trimmingBlanks(Array(text.utf8)[...]).map(ASCII.lowercased)
        if bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) { try lookForAnother(in: bytes) }
        _ = try HTTPURL(parsing: text)
    }

    private static func lookForAnother(in bytes: [UInt8]) throws(HTTPURLError) {
        // A query may hold anything.
        let end = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        for colon in bytes.indices where bytes[colon] == UInt8(ascii: ":") && bytes[colon...].starts(with: "://".utf8) {
            guard
                let scheme = ["https", "http"].first(where: {
                    bytes[..<colon].suffix($0.utf8.count).elementsEqual($0.utf8)
                })
            else { continue }
            let before = bytes[..<colon].dropLast(scheme.utf8.count)
            switch before.last {
            case UInt8(ascii: " "): throw .several
            case UInt8(ascii: "/") where before.elementsEqual("http://".utf8) || before.elementsEqual("https://".utf8):
                throw .glued
            // After a mark, a path may hold a URL.
            case let before? where ASCII.isAlphanumeric(before) && colon < end: throw .glued
            default: continue
            }
        }
    }
}
