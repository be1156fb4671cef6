/// A JSON text (RFC 8259). Members keep their order.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number that is not a whole one of 64 bits, as it is written: its precision is not ours to change.
    case decimal(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package var encoded: String {
        var text: [UInt8] = []
        encode(into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private func encode(into text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .boolean(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .decimal(let value): text += value.utf8
        case .string(let value): Self.encode(value, into: &text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.encode(into: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.encode(member.key, into: &text)
                text.append(UInt8(ascii: ":"))
                member.value.encode(into: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func encode(_ string: String, into text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        let start = text.count
        text += string.utf8
        if !text[start...].allSatisfy(standsForItself) {
            text.removeSubrange(start...)
            escape(string, into: &text)
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func standsForItself(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func escape(_ string: String, into text: inout [UInt8]) {
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\"".utf8
            case "\\": text += "\\\\".utf8
            case "\n": text += "\\n".utf8
            case "\r": text += "\\r".utf8
            case "\t": text += "\\t".utf8
            // More than §7 demands: the lines are read on terminals too.
            case _ where scalar.steersTerminal: for unit in String(scalar).utf16 { escape(unit, into: &text) }
            default: text += String(scalar).utf8
            }
        }
    }

    private static func escape(_ unit: UInt16, into text: inout [UInt8]) {
        let digits = String(unit, radix: 16)
        text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }

    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member(key: $0.0, value: $0.1) })
    }

    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue {
    package static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// Rounded to a whole number; null when there is none.
    package static func rounded(_ value: Double?) -> JSONValue {
        value.map { .integer(Int64(saturating: $0)) } ?? .null
    }

    package static func optional(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }

    package static func optional(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}
