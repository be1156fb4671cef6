package import PawlCore
import PawlJobs

/// A value in answers of the service.
protocol AnswerValue: Sendable {
    /// - Parameter name: the member, for the error.
    init(answer json: JSONValue, _ name: String) throws(ServiceError)
}

/// A value in requests to the service.
protocol RequestValue: Sendable {
    var json: JSONValue { get }
}

extension ServiceError: JSONObjectError {
    package init(_ problem: JSONObjectProblem) {
        let detail =
            switch problem {
            case .noObject(""): "an object is missing"
            case .noObject(let name): "“\(name)” is not an object"
            case .missing(let name): "“\(name)” is missing"
            case .wrong(let name, let expected): "“\(name)” is not \(expected)"
            case .unknown(let name): "“\(name)” is unknown"
            }
        self = .foreign(detail)
    }

    static func foreign(_ detail: String) -> ServiceError {
        ServiceError(
            .foreignAnswer, "The response is not from the service, or is from another version of it: \(detail).")
    }
}

// MARK: - Values that JSON knows

extension Bool: AnswerValue, RequestValue {
    var json: JSONValue { .boolean(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .boolean(let flag) = json else { throw ServiceError(.wrong(name, expected: "true or false")) }
        self = flag
    }
}

extension Int64: AnswerValue, RequestValue {
    var json: JSONValue { .integer(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .integer(let number) = json else { throw ServiceError(.wrong(name, expected: "a whole number")) }
        self = number
    }
}

extension Int: AnswerValue, RequestValue {
    var json: JSONValue { .integer(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        self.init(clamping: try Int64(answer: json, name))
    }
}

extension String: AnswerValue, RequestValue {
    var json: JSONValue { .string(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .string(let text) = json else { throw ServiceError(.wrong(name, expected: "a string")) }
        self = text
    }
}

extension Array: AnswerValue where Element: AnswerValue {
    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .array(let values) = json else { throw ServiceError(.wrong(name, expected: "a list")) }
        self = try values.map { (value) throws(ServiceError) in try Element(answer: value, name) }
    }
}

extension Array: RequestValue where Element: RequestValue {
    var json: JSONValue { .array(map(\.json)) }
}

extension Optional: AnswerValue where Wrapped: AnswerValue {
    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        self = json == .null ? nil : try Wrapped(answer: json, name)
    }
}

extension Optional: RequestValue where Wrapped: RequestValue {
    var json: JSONValue { self?.json ?? .null }
}

// MARK: - Words

extension RawRepresentable<String> where Self: AnswerValue {
    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard let value = Self(rawValue: try String(answer: json, name)) else {
            throw ServiceError(.wrong(name, expected: "one of its values"))
        }
        self = value
    }
}

extension RawRepresentable<String> where Self: RequestValue {
    var json: JSONValue { .string(rawValue) }
}

extension ServiceError.Code: AnswerValue {}
extension ExistingFilePolicy: RequestValue {}

// MARK: - Parts of jobs, which PawlJobs reads and writes

extension JobSpec: AnswerValue {
    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        do throws(JobSpecError) { try self.init(jsonValue: json) } catch { throw .foreign(error.message) }
    }
}

extension Authentication: RequestValue { var json: JSONValue { jsonValue } }
extension HTTPField: RequestValue { var json: JSONValue { jsonValue } }
