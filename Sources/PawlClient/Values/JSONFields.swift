import PawlCore

/// The members of an object in an answer. Members that this version does not know are skipped, as the API demands.
struct JSONFields {
    let json: JSONValue
    private let members: [ExactText: JSONValue]

    init(_ json: JSONValue) throws(ServiceError) {
        guard case .object(let members) = json else { throw Self.foreign("an object is missing") }
        self.json = json
        self.members = Dictionary(members.map { (ExactText($0.key), $0.value) }) { first, _ in first }
    }

    static func foreign(_ detail: String) -> ServiceError {
        ServiceError(.foreignAnswer, "The answer is not one of the service, or of another version of it: \(detail).")
    }

    /// Nil for null, too.
    func value(_ key: String) -> JSONValue? {
        guard let value = members[ExactText(key)], value != .null else { return nil }
        return value
    }

    func text(_ key: String) -> String? {
        if case .string(let text) = value(key) { text } else { nil }
    }

    func number(_ key: String) -> Int64? {
        if case .integer(let number) = value(key) { number } else { nil }
    }

    func int(_ key: String) -> Int? { number(key).map { Int(clamping: $0) } }

    func flag(_ key: String) -> Bool? {
        if case .boolean(let flag) = value(key) { flag } else { nil }
    }

    func texts(_ key: String) -> [String] {
        values(key).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    func values(_ key: String) -> [JSONValue] {
        if case .array(let values) = value(key) { values } else { [] }
    }

    func list<Element>(
        _ key: String, _ element: (JSONValue) throws(ServiceError) -> Element
    ) throws(ServiceError) -> [Element] {
        var list: [Element] = []
        for value in values(key) { list.append(try element(value)) }
        return list
    }

    func optional<Element>(
        _ key: String, _ element: (JSONValue) throws(ServiceError) -> Element
    ) throws(ServiceError) -> Element? {
        guard let value = value(key) else { return nil }
        return try element(value)
    }

    func required<Value>(_ key: String, _ read: (String) -> Value?) throws(ServiceError) -> Value {
        guard let value = read(key) else { throw Self.foreign("“\(key)” is missing") }
        return value
    }
}
