package import PawlCore
import PawlJobs

/// The type of a value of the contract, openapi.json. A test compares the types of all values here with it.
indirect enum ContractType: Hashable, Sendable {
    case boolean
    case integer
    case string
    /// One of these strings.
    case words([String])
    case list(ContractType)
    case nullable(ContractType)
    case object([ContractMember])
    /// A value with a schema of this name, which a test compares with examples.
    case example(String)
    /// A value that this client does not read.
    case unread
}

/// One member of an object of the contract.
struct ContractMember: Hashable, Sendable {
    var name: String
    var type: ContractType
    /// It is never missing.
    var isRequired: Bool
}

protocol ContractValue: Sendable {
    static var contractType: ContractType { get }
}

/// A value in answers of the service.
protocol AnswerValue: ContractValue {
    /// The value of a member that is missing; nil if it has to be there.
    static var ifMissing: Self? { get }

    /// - Parameter name: the member, for the error.
    init(answer json: JSONValue, _ name: String) throws(ServiceError)
}

/// A value in requests to the service.
protocol RequestValue: ContractValue {
    var json: JSONValue { get }
}

extension AnswerValue {
    static var ifMissing: Self? { nil }
}

extension ServiceError: JSONObjectError {
    package init(_ problem: JSONObjectProblem) {
        let detail =
            switch problem {
            case .noObject(""): "an object is missing"
            case .noObject(let name): "“\(name)” is no object"
            case .missing(let name): "“\(name)” is missing"
            case .wrong(let name, let expected): "“\(name)” is not \(expected)"
            case .unknown(let name): "“\(name)” is unknown"
            }
        self = .foreign(detail)
    }

    static func foreign(_ detail: String) -> ServiceError {
        ServiceError(.foreignAnswer, "The answer is not one of the service, or of another version of it: \(detail).")
    }
}

// MARK: - Values that JSON knows

extension Bool: AnswerValue, RequestValue {
    static var contractType: ContractType { .boolean }
    var json: JSONValue { .boolean(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .boolean(let flag) = json else { throw ServiceError(.wrong(name, expected: "true or false")) }
        self = flag
    }
}

extension Int64: AnswerValue, RequestValue {
    static var contractType: ContractType { .integer }
    var json: JSONValue { .integer(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .integer(let number) = json else { throw ServiceError(.wrong(name, expected: "a whole number")) }
        self = number
    }
}

extension Int: AnswerValue, RequestValue {
    static var contractType: ContractType { .integer }
    var json: JSONValue { .integer(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        self.init(clamping: try Int64(answer: json, name))
    }
}

extension String: AnswerValue, RequestValue {
    static var contractType: ContractType { .string }
    var json: JSONValue { .string(self) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard case .string(let text) = json else { throw ServiceError(.wrong(name, expected: "a string")) }
        self = text
    }
}

extension Array: ContractValue where Element: ContractValue {
    static var contractType: ContractType { .list(Element.contractType) }
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

extension Optional: ContractValue where Wrapped: ContractValue {
    static var contractType: ContractType { .nullable(Wrapped.contractType) }
}

extension Optional: AnswerValue where Wrapped: AnswerValue {
    static var ifMissing: Wrapped?? { .some(nil) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        self = json == .null ? nil : try Wrapped(answer: json, name)
    }
}

extension Optional: RequestValue where Wrapped: RequestValue {
    var json: JSONValue { self?.json ?? .null }
}

// MARK: - Words

extension RawRepresentable<String> where Self: ContractValue {
    var json: JSONValue { .string(rawValue) }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        guard let value = Self(rawValue: try String(answer: json, name)) else {
            throw ServiceError(.wrong(name, expected: "one of its words"))
        }
        self = value
    }
}

extension RawRepresentable<String> where Self: ContractValue & CaseIterable {
    static var contractType: ContractType { .words(allCases.map(\.rawValue)) }
}

extension ServiceDownload.State: AnswerValue, RequestValue {
    static var contractType: ContractType { .words(all.map(\.rawValue)) }
}

extension ServiceError.Code: AnswerValue {
    static var contractType: ContractType { .string }
}

extension ExistingFilePolicy: RequestValue {}

// MARK: - Jobs

extension JobSpec: AnswerValue {
    static var contractType: ContractType { .unread }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        do throws(JobSpecError) { try self.init(jsonValue: json) } catch { throw .foreign(error.message) }
    }
}

extension JobSpec.Authentication: RequestValue {
    static var contractType: ContractType { .example("Authentication") }
    var json: JSONValue { jsonValue }
}

extension HTTPField: RequestValue {
    static var contractType: ContractType { .list(.string) }
    var json: JSONValue { jsonValue }
}
