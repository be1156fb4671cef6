import PawlCore

/// Builds an object, leaving out null and empty values.
struct JSONObjectWriter {
    private var members: [JSONValue.Member] = []

    var value: JSONValue { .object(members) }

    mutating func add(_ key: String, _ value: JSONValue, evenIfEmpty: Bool = false) {
        switch value {
        case .null, .array([]), .object([]): if !evenIfEmpty { return }
        default: break
        }
        members.append(JSONValue.Member(key: key, value: value))
    }
}

/// Takes the members out of an object one by one; what is left at the end is not known.
struct JSONObjectReader {
    private let prefix: String
    private var members: [ExactText: JSONValue]

    /// - Parameter name: of the field that it is the value of; empty for the whole.
    init(_ value: JSONValue, _ name: String) throws(JobSpecError) {
        guard case .object(let members) = value else {
            throw JobSpecError(
                .invalidValue, name.isEmpty ? [] : [name],
                name.isEmpty ? "A job is a JSON object." : "“\(name)” is a JSON object.")
        }
        prefix = name.isEmpty ? "" : name + "."
        self.members = Dictionary(members.map { (ExactText($0.key), $0.value) }) { first, _ in first }
    }

    func has(_ key: String) -> Bool { members[ExactText(key)] != nil }

    /// Nil for one that is not there, and for null.
    mutating func take(_ key: String) -> JSONValue? {
        guard let value = members.removeValue(forKey: ExactText(key)), value != .null else { return nil }
        return value
    }

    mutating func string(_ key: String) throws(JobSpecError) -> String? {
        try take(key).map { (value) throws(JobSpecError) in try string(value, key) }
    }

    mutating func required(_ key: String) throws(JobSpecError) -> String {
        guard let text = try string(key) else {
            throw JobSpecError(.missingField, [prefix + key], "“\(prefix + key)” is missing.")
        }
        return text
    }

    mutating func integer(_ key: String) throws(JobSpecError) -> Int64? {
        guard let value = take(key) else { return nil }
        guard case .integer(let number) = value else { throw wrong(key, "a whole number") }
        return number
    }

    mutating func flag(_ key: String) throws(JobSpecError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard case .boolean(let flag) = value else { throw wrong(key, "true or false") }
        return flag
    }

    mutating func list<Element>(
        _ key: String, _ element: (JSONValue, String) throws(JobSpecError) -> Element
    ) throws(JobSpecError) -> [Element] {
        guard let value = take(key) else { return [] }
        guard case .array(let values) = value else { throw wrong(key, "a list") }
        return try values.map { (value) throws(JobSpecError) in try element(value, prefix + key) }
    }

    mutating func strings(_ key: String) throws(JobSpecError) -> [String] {
        guard let value = take(key) else { return [] }
        guard case .array(let values) = value else { throw wrong(key, "a list of texts") }
        return try values.map { (value) throws(JobSpecError) in try string(value, key) }
    }

    private func string(_ value: JSONValue, _ key: String) throws(JobSpecError) -> String {
        guard case .string(let text) = value else { throw wrong(key, "a text") }
        return text
    }

    private func wrong(_ key: String, _ type: String) -> JobSpecError {
        JobSpecError(.invalidValue, [prefix + key], "“\(prefix + key)” is \(type).")
    }

    /// - Throws: for what nobody has taken.
    func finish() throws(JobSpecError) {
        guard let unknown = members.keys.min() else { return }
        let name = prefix + unknown.text
        throw JobSpecError(.unknownField, [name], "“\(name)” is not a field of a job.")
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
