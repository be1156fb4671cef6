/// Just enough of structured fields (RFC 8941) to read a dictionary and pick the byte sequences out of it.
///
/// Values of every other type are checked and skipped, since one malformed member makes the whole field invalid.
package enum StructuredDictionary {
    /// The members whose value is a byte sequence, by key; nil when the text is no dictionary (RFC 8941 §4.2.2).
    ///
    /// A key that occurs again replaces the earlier member, also when the new value is of another type.
    package static func byteSequences(in text: String) -> [String: [UInt8]]? {
        var scanner = FieldScanner(text)
        var members: [String: [UInt8]] = [:]
        while !scanner.isAtEnd {
            guard let key = scanner.takeKey() else { return nil }
            // A key alone stands for the boolean "true".
            guard let value = scanner.take("=") ? scanner.takeMemberValue() : .other, scanner.skipParameters() else {
                return nil
            }
            if case .byteSequence(let bytes) = value { members[key] = bytes } else { members[key] = nil }
            scanner.skipBlanks()
            if scanner.isAtEnd { break }
            guard scanner.take(",") else { return nil }
            scanner.skipBlanks()
            // A trailing comma is an error (RFC 8941 §4.2.2).
            if scanner.isAtEnd { return nil }
        }
        return members
    }
}

private enum StructuredValue {
    case byteSequence([UInt8])
    case other
}

extension FieldScanner {
    /// RFC 8941 §4.2.3.3.
    fileprivate mutating func takeKey() -> String? {
        guard let first = next, ASCII.isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        let run = take { ASCII.isLowercase($0) || ASCII.isDigit($0) || "_-.*".utf8.contains($0) }
        return String(decoding: run, as: UTF8.self)
    }

    /// An item or an inner list, its parameters not included.
    fileprivate mutating func takeMemberValue() -> StructuredValue? {
        guard take("(") else { return takeBareItem() }
        while true {
            skipSpaces()
            if take(")") { return .other }
            guard takeBareItem() != nil, skipParameters(), next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else {
                return nil
            }
        }
    }

    /// RFC 8941 §4.2.3.2; false when what is there is malformed.
    fileprivate mutating func skipParameters() -> Bool {
        while take(";") {
            skipSpaces()
            guard takeKey() != nil else { return false }
            if take("="), takeBareItem() == nil { return false }
        }
        return true
    }

    /// RFC 8941 §4.2.3.1.
    private mutating func takeBareItem() -> StructuredValue? {
        guard let first = next else { return nil }
        switch first {
        case _ where ASCII.isLetter(first) || first == UInt8(ascii: "*"):
            _ = take { ASCII.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return .other
        case UInt8(ascii: ":"):
            return takeByteSequence().map(StructuredValue.byteSequence)
        case UInt8(ascii: "\""):
            return skipString() ? .other : nil
        case UInt8(ascii: "?"):
            return take("?") && (take("0") || take("1")) ? .other : nil
        case UInt8(ascii: "-"), 0x30...0x39:
            return skipNumber() ? .other : nil
        default:
            return nil
        }
    }

    /// RFC 8941 §4.2.7.
    private mutating func takeByteSequence() -> [UInt8]? {
        guard take(":") else { return nil }
        let content = take { Base64.isAlphabetByte($0) || $0 == UInt8(ascii: "=") }
        guard take(":") else { return nil }
        return Base64.decode(content)
    }

    /// RFC 8941 §4.2.5: printable ASCII, and `\` only before `"` or `\`.
    private mutating func skipString() -> Bool {
        guard take("\"") else { return false }
        while true {
            _ = take { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if take("\"") { return true }
            guard take("\\"), take("\"") || take("\\") else { return false }
        }
    }

    /// RFC 8941 §4.2.4: up to 15 digits, or up to 12 with up to 3 after a point.
    private mutating func skipNumber() -> Bool {
        _ = take("-")
        let whole = take(while: ASCII.isDigit)
        guard take(".") else { return (1...15).contains(whole.count) }
        return (1...12).contains(whole.count) && (1...3).contains(take(while: ASCII.isDigit).count)
    }

    private mutating func skipSpaces() {
        _ = take { $0 == UInt8(ascii: " ") }
    }
}
