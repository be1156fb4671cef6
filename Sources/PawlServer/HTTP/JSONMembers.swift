import PawlCore

/// The members of an object that a client has sent, taken one by one; what is left at the end is an error.
struct JSONMembers {
    private(set) var members: [JSONValue.Member]

    mutating func add(_ member: JSONValue.Member) { members.append(member) }

    init(_ value: JSONValue) throws(Problem) {
        guard case .object(let members) = value else { throw .invalid("", "The body must be a JSON object.") }
        self.members = members
    }

    /// Nil for one that is not there.
    mutating func take(_ key: StaticString) -> JSONValue? {
        guard
            let index = members.firstIndex(where: { member in key.withUTF8Buffer { member.key.utf8.elementsEqual($0) } }
            )
        else { return nil }
        return members.remove(at: index).value
    }

    /// The same, and nil for null.
    mutating func value(_ key: StaticString) -> JSONValue? {
        guard let value = take(key), value != .null else { return nil }
        return value
    }

    mutating func text(_ key: StaticString, _ lengths: ClosedRange<Int>) throws(Problem) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value, lengths.contains(text.utf8.count) else {
            throw .invalid(
                "\(key)", "“\(key)” must be a string of \(lengths.lowerBound) to \(lengths.upperBound) bytes.")
        }
        return text
    }

    mutating func integer(_ key: StaticString, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let value = value(key) else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            throw .invalid("\(key)", "“\(key)” must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    mutating func flag(_ key: StaticString) throws(Problem) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .boolean(let flag) = value else { throw .invalid("\(key)", "“\(key)” must be true or false.") }
        return flag
    }

    mutating func texts(_ key: StaticString, atMost limit: Int) throws(Problem) -> [String]? {
        guard let value = value(key) else { return nil }
        guard case .array(let values) = value, values.count <= limit else {
            throw .invalid("\(key)", "“\(key)” must be a list of at most \(limit) strings.")
        }
        var texts: [String] = []
        for case .string(let text) in values { texts.append(text) }
        guard texts.count == values.count else { throw .invalid("\(key)", "“\(key)” must be a list of strings.") }
        return texts
    }

    func finish() throws(Problem) {
        guard let unknown = members.first else { return }
        throw Problem(422, "unknownField", "“\(unknown.key)” is not a field of this request.", fields: [unknown.key])
    }
}

extension HTTPCall {
    func json() throws(Problem) -> JSONValue {
        let type =
            ASCII.lowercased((field("content-type") ?? "")[...].utf8).utf8.split(separator: UInt8(ascii: ";")).first
            ?? "".utf8[...]
        guard type.elementsEqual("application/json".utf8) else {
            throw Problem(415, "wrongType", "The body must be JSON.", hint: "Send “Content-Type: application/json”.")
        }
        do throws(JSONValue.Problem) {
            return try JSONValue(parsing: body)
        } catch {
            throw Problem(400, "malformed", "The body is not valid JSON at byte \(error.position): \(error.message)")
        }
    }
}

/// The id of a download: a UUID in lower case.
func isDownloadID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index)
            ? byte == UInt8(ascii: "-") : ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
