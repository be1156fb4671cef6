/// An error of a kind of document, with its own words for an object that is not as expected.
package protocol JSONObjectError: Error {
    init(_ problem: JSONObjectProblem)
}

/// The reason why a JSON object is not as expected. Members have the names of the objects around them in front, as in
/// `unpacking.password`.
package enum JSONObjectProblem: Hashable, Sendable {
    /// The value is no object; its name is empty for the whole document.
    case noObject(String)
    case missing(String)
    /// `expected` is a noun phrase, such as “a whole number”.
    case wrong(String, expected: String)
    case unknown(String)
}

/// Takes the members out of a JSON object one by one; those left at the end are unknown.
package struct JSONObject<Failure: JSONObjectError> {
    /// The members not taken yet, in the order of the document.
    package var members: [JSONValue.Member]
    private let prefix: String

    /// - Parameter name: the member whose value the object is; empty for the whole document.
    package init(_ value: JSONValue, _ name: String = "") throws(Failure) {
        guard case .object(let members) = value else { throw Failure(.noObject(name)) }
        self.members = members
        prefix = name.isEmpty ? "" : name + "."
    }

    /// The name of a member, with those of the objects around it in front.
    package func path(_ key: String) -> String { prefix + key }

    // MARK: Any value

    package func has(_ key: String) -> Bool { members.contains { $0.key.isExactly(key) } }

    /// Null as such; nil for a member that is missing.
    package mutating func take(_ key: String) -> JSONValue? {
        members.firstIndex { $0.key.isExactly(key) }.map { members.remove(at: $0).value }
    }

    /// Takes the value of a member; nil if it is missing or null.
    package mutating func value(_ key: String) -> JSONValue? { take(key).flatMap { $0 == .null ? nil : $0 } }

    // MARK: Members that had another name before, which may be the same
    // They throw where both are there and differ.

    /// Null as such; nil for a member that is missing.
    package mutating func take(_ key: String, formerly former: String) throws(Failure) -> JSONValue? {
        try one(of: take(key), take(former), key, former)
    }

    /// Takes the value of a member under either name; nil if it is missing or null.
    package mutating func value(_ key: String, formerly former: String) throws(Failure) -> JSONValue? {
        try one(of: value(key), value(former), key, former)
    }

    private func one(
        of value: JSONValue?, _ other: JSONValue?, _ key: String, _ former: String
    ) throws(Failure) -> JSONValue? {
        guard let value, let other, value != other else { return value ?? other }
        throw wrong(former, "the same as “\(path(key))”, whose former name it is")
    }

    // MARK: Values of one type; nil if missing or null

    /// - Parameter lengths: in bytes of UTF-8.
    package mutating func string(_ key: String, _ lengths: ClosedRange<Int>? = nil) throws(Failure) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value, lengths?.contains(text.utf8.count) ?? true else {
            throw wrong(key, lengths.map { "a string of \($0.lowerBound) to \($0.upperBound) bytes" } ?? "a string")
        }
        return text
    }

    package mutating func required(_ key: String, _ lengths: ClosedRange<Int>? = nil) throws(Failure) -> String {
        guard let text = try string(key, lengths) else { throw Failure(.missing(path(key))) }
        return text
    }

    package mutating func integer(_ key: String, _ range: ClosedRange<Int64>? = nil) throws(Failure) -> Int64? {
        guard let value = value(key) else { return nil }
        guard case .integer(let number) = value, range?.contains(number) ?? true else {
            throw wrong(
                key, range.map { "a whole number from \($0.lowerBound) to \($0.upperBound)" } ?? "a whole number")
        }
        return number
    }

    package mutating func flag(_ key: String) throws(Failure) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .boolean(let flag) = value else { throw wrong(key, "true or false") }
        return flag
    }

    package mutating func strings(_ key: String, atMost limit: Int = .max) throws(Failure) -> [String]? {
        guard let value = value(key) else { return nil }
        let texts = value.texts
        guard let texts, texts.count <= limit else {
            throw wrong(key, limit == .max ? "a list of strings" : "a list of at most \(limit) strings")
        }
        return texts
    }

    /// - Parameter element: reads one value of the list; its second argument is the name of the list.
    package mutating func list<Element>(
        _ key: String, _ element: (JSONValue, String) throws(Failure) -> Element
    ) throws(Failure) -> [Element]? {
        guard let value = value(key) else { return nil }
        guard case .array(let values) = value else { throw wrong(key, "a list") }
        return try values.map { (value) throws(Failure) in try element(value, path(key)) }
    }

    private func wrong(_ key: String, _ expected: String) -> Failure {
        Failure(.wrong(path(key), expected: expected))
    }

    // MARK: The end

    /// - Throws: for the first member that was not taken.
    package func finish() throws(Failure) {
        if let unknown = members.first { throw Failure(.unknown(path(unknown.key))) }
    }
}

extension JSONValue {
    /// The strings of a list of nothing else.
    package var texts: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }
}
