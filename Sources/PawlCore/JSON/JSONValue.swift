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
        var text = ""
        encode(into: &text)
        return text
    }

    private func encode(into text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .decimal(let value): text += value
        case .string(let value): Self.encode(value, into: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.encode(into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.encode(member.key, into: &text)
                text += ":"
                member.value.encode(into: &text)
            }
            text += "}"
        }
    }

    private static func encode(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                // More than §7 demands: the lines are read on terminals too.
                if scalar.steersTerminal {
                    for unit in String(scalar).utf16 { escape(unit, into: &text) }
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }

    private static func escape(_ unit: UInt16, into text: inout String) {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
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
