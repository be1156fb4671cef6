import PawlCore

/// A JSON object in answers. Its table of members is all that its decoding knows; members that are not in the table are
/// skipped, as the API demands.
protocol AnswerObject: AnswerValue {
    static var members: [AnswerMember<Self>] { get }

    /// Any values: the members are set afterwards.
    init()

    /// Checks and completes what no single member can tell, once all are read.
    mutating func settle() throws(ServiceError)
}

extension AnswerObject {
    static var contractType: ContractType { .object(members.flatMap(\.contract)) }

    mutating func settle() throws(ServiceError) {}

    init(_ json: JSONValue) throws(ServiceError) { try self.init(answer: json, "") }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        self.init()
        var rest = try AnswerRest(json, name)
        for member in Self.members { try member.read(&self, &rest, json) }
        try settle()
    }
}

/// The members of an answer that are not read yet.
typealias AnswerRest = JSONObject<ServiceError>

/// One member of an ``AnswerObject``: its name and type in the contract, and where its value goes.
struct AnswerMember<Root>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable
    fileprivate typealias Read =
        @Sendable (inout Root, inout AnswerRest, _ whole: JSONValue) throws(ServiceError) -> Void

    let contract: [ContractMember]
    fileprivate let read: Read

    private init(_ contract: [ContractMember], _ read: @escaping Read) {
        self.contract = contract
        self.read = read
    }

    init<Value: AnswerValue>(_ name: String, _ path: Path<Value>, ifMissing: Value? = Value.ifMissing) {
        self.init([ContractMember(name: name, type: Value.contractType, isRequired: ifMissing == nil)]) {
            (root, rest, _) throws(ServiceError) in
            guard let value = try rest.read(name, Value.self) ?? ifMissing else {
                throw ServiceError(.missing(rest.path(name)))
            }
            root[keyPath: path] = value
        }
    }

    /// A member that is always there, of a property that other values leave nil.
    static func required<Value: AnswerValue>(_ name: String, _ path: Path<Value?>) -> AnswerMember {
        AnswerMember([ContractMember(name: name, type: Value.contractType, isRequired: true)]) {
            (root, rest, _) throws(ServiceError) in
            guard let value = try rest.read(name, Value.self) else { throw ServiceError(.missing(rest.path(name))) }
            root[keyPath: path] = value
        }
    }

    /// A member of the contract that no property of this client holds.
    static func unread(_ name: String) -> AnswerMember {
        AnswerMember([ContractMember(name: name, type: .unread, isRequired: false)]) { (_, rest, _) in
            _ = rest.take(name)
        }
    }

    /// The members of another object that stand beside those of this one, which the table has before.
    static func beside<Value: AnswerObject>(_ path: Path<Value>) -> AnswerMember {
        AnswerMember(Value.members.flatMap(\.contract)) { (root, rest, _) throws(ServiceError) in
            root[keyPath: path] = try Value(.object(rest.members))
        }
    }

    /// The object as the service sent it.
    static func whole(_ path: Path<JSONValue>) -> AnswerMember {
        AnswerMember([]) { (root, _, whole) in root[keyPath: path] = whole }
    }
}

extension AnswerRest {
    fileprivate mutating func read<Value: AnswerValue>(
        _ name: String, _ type: Value.Type
    ) throws(ServiceError) -> Value? {
        try take(name).map { (json) throws(ServiceError) in try Value(answer: json, path(name)) }
    }
}
