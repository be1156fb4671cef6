package import PawlCore

/// Builds an object, leaving out null and empty values.
package struct JSONObjectWriter {
    private var members: [JSONValue.Member] = []

    package init() {}

    package var value: JSONValue { .object(members) }

    package mutating func add(_ key: String, _ value: JSONValue, evenIfEmpty: Bool = false) {
        switch value {
        case .null, .array([]), .object([]): if !evenIfEmpty { return }
        default: break
        }
        members.append(JSONValue.Member(key: key, value: value))
    }
}

typealias JobObject = JSONObject<JobSpecError>

extension JobSpecError: JSONObjectError {
    package init(_ problem: JSONObjectProblem) {
        switch problem {
        case .noObject(""): self.init(.invalidValue, [], "A job must be a JSON object.")
        case .noObject(let name): self.init(.invalidValue, [name], "“\(name)” must be a JSON object.")
        case .missing(let name): self.init(.missingField, [name], "“\(name)” is missing.")
        case .wrong(let name, let expected): self.init(.invalidValue, [name], "“\(name)” must be \(expected).")
        case .unknown(let name): self.init(.unknownField, [name], "“\(name)” is not a field of a job.")
        }
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
