/// Coding by any encoder and decoder. The order of members, and digits beyond those of a `Double`, depend on the coder.
extension JSONValue: Codable {
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: MemberKey.self) {
            self = .object(
                try container.allKeys.map {
                    Member(key: $0.stringValue, value: try container.decode(JSONValue.self, forKey: $0))
                })
        } else if var container = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !container.isAtEnd { values.append(try container.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = try Self.single(try decoder.singleValueContainer())
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(Double.self) { return .decimal("\(number)") }
        return .string(try container.decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for member in members { try container.encode(member.value, forKey: MemberKey(stringValue: member.key)) }
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        default:
            var container = encoder.singleValueContainer()
            try encodeSingle(into: &container)
        }
    }

    private func encodeSingle(into container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .boolean(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .decimal(let text):
            guard let number = Double(text) else {
                throw EncodingError.invalidValue(
                    text, .init(codingPath: container.codingPath, debugDescription: "not a number"))
            }
            try container.encode(number)
        case .string(let text): try container.encode(text)
        case .null, .array, .object: try container.encodeNil()
        }
    }
}
