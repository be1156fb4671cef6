extension JSONValue {
    /// The reason why a text is not JSON, and the position.
    package struct Problem: Error, Hashable {
        /// The position in bytes, from 0.
        package let position: Int
        package let message: String
    }

    /// Deeper nesting is refused, so that a text cannot exhaust the stack.
    package static let maximumDepth = 64

    /// Reads one JSON text (RFC 8259) in UTF-8. Stricter than the RFC demands: a name that appears twice in an object
    /// is an error, and so is a string that is not Unicode, as two readers could otherwise see two documents.
    package init(parsing bytes: [UInt8]) throws(Problem) {
        var reader = JSONReader(bytes)
        self = try reader.document()
    }
}

private struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONValue.Problem) -> JSONValue {
        let value = try value()
        skipBlanks()
        guard position == bytes.count else { throw problem("There is more text after the end of the value.") }
        return value
    }

    private mutating func value() throws(JSONValue.Problem) -> JSONValue {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try nested { (reader) throws(JSONValue.Problem) in try reader.object() }
        case UInt8(ascii: "["): return try nested { (reader) throws(JSONValue.Problem) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw problem("The text ends early.")
        default: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(JSONValue.Problem) -> JSONValue
    ) throws(JSONValue.Problem) -> JSONValue {
        guard depth < JSONValue.maximumDepth else {
            throw problem("More than \(JSONValue.maximumDepth) levels are nested.")
        }
        depth += 1
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    // MARK: Objects and arrays

    private mutating func object() throws(JSONValue.Problem) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<ExactText> = []
        try elements(until: UInt8(ascii: "}")) { (reader) throws(JSONValue.Problem) in
            reader.skipBlanks()
            let start = reader.position
            let key = try reader.string()
            guard names.insert(ExactText(key)).inserted else {
                throw JSONValue.Problem(position: start, message: "A name appears twice in an object.")
            }
            reader.skipBlanks()
            guard reader.take(UInt8(ascii: ":")) else { throw reader.problem("A colon is missing after a name.") }
            members.append(JSONValue.Member(key: key, value: try reader.value()))
        }
        return .object(members)
    }

    private mutating func array() throws(JSONValue.Problem) -> JSONValue {
        var values: [JSONValue] = []
        try elements(until: UInt8(ascii: "]")) { (reader) throws(JSONValue.Problem) in values.append(try reader.value())
        }
        return .array(values)
    }

    private mutating func elements(
        until end: UInt8, _ element: (inout JSONReader) throws(JSONValue.Problem) -> Void
    ) throws(JSONValue.Problem) {
        skipBlanks()
        if take(end) { return }
        while true {
            try element(&self)
            skipBlanks()
            if take(end) { return }
            guard take(UInt8(ascii: ",")) else {
                throw problem(next == nil ? "The text ends early." : "A comma is missing.")
            }
        }
    }

    // MARK: Strings

    private mutating func string() throws(JSONValue.Problem) -> String {
        guard take(UInt8(ascii: "\"")) else { throw problem("A string is missing.") }
        let start = position
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONValue.Problem(position: start, message: "A string is not UTF-8.")
                }
                return string
            case UInt8(ascii: "\\"): text += try escape()
            case ..<0x20: throw problem("A control character in a string must be escaped.")
            default: text.append(byte)
            }
        }
        throw problem("The text ends within a string.")
    }

    /// Reads the rest of an escape sequence, after its backslash.
    private mutating func escape() throws(JSONValue.Problem) -> [UInt8] {
        guard let byte = next else { throw problem("The text ends within a string.") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw problem("A string has an unknown escape.")
        }
    }

    private mutating func scalar() throws(JSONValue.Problem) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // RFC 8259 §7: what does not fit in sixteen bits is written as a surrogate pair.
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw problem("A surrogate is not part of a pair.")
        }
        let second = try codeUnit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00))
        else { throw problem("A surrogate is not part of a pair.") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONValue.Problem) -> UInt16 {
        guard position + 4 <= bytes.count else { throw problem("The text ends within a string.") }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = ASCII.hexValue(byte) else { throw problem("\\u needs four hexadecimal digits.") }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }

    // MARK: Numbers and words

    private mutating func number() throws(JSONValue.Problem) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard isWhole, let value = Int64(text) else { return .decimal(text) }
        return .integer(value)
    }

    private mutating func digits() throws(JSONValue.Problem) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw problem("This is not a JSON value.") }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONValue.Problem) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw problem("This is not a JSON value.") }
        position += word.utf8.count
        return value
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D { position += 1 }
    }

    private func problem(_ message: String) -> JSONValue.Problem {
        JSONValue.Problem(position: position, message: message)
    }
}
