import PawlCore

/// A JSON object in answers. Its table of members is all that its decoding knows; members that are not in the table are
/// skipped, as the API demands. A test compares the tables with openapi.json.
protocol AnswerObject: AnswerValue {
    static var members: [AnswerMember<Self>] { get }

    /// The values of members that are missing.
    init()

    /// Checks and completes what no single member can tell, once all are read.
    mutating func settle() throws(ServiceError)
}

extension AnswerObject {
    mutating func settle() throws(ServiceError) {}

    init(_ json: JSONValue) throws(ServiceError) { try self.init(answer: json, "") }

    init(answer json: JSONValue, _ name: String) throws(ServiceError) {
        self.init()
        var rest = try JSONObject<ServiceError>(json, name)
        for member in Self.members { try member.read(&self, &rest, json) }
        try settle()
    }
}

/// A member of an ``AnswerObject``: its name, and the property that takes its value.
struct AnswerMember<Root>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

    /// The names of the member; several for an object whose members stand beside the others.
    let names: [String]
    /// The whole object is the last argument.
    fileprivate let read: @Sendable (inout Root, inout JSONObject<ServiceError>, JSONValue) throws(ServiceError) -> Void

    /// A member without which the answer means nothing.
    init<Value: AnswerValue>(required name: String, _ path: Path<Value>) {
        self.init(name, path) { (path) throws(ServiceError) in throw ServiceError(.missing(path)) }
    }

    /// A member that keeps its value if it is missing or null: a service of another version may lack it.
    init<Value: AnswerValue>(_ name: String, _ path: Path<Value>) { self.init(name, path) { _ in } }

    private init<Value: AnswerValue>(
        _ name: String, _ path: Path<Value>, ifMissing: @escaping @Sendable (String) throws(ServiceError) -> Void
    ) {
        names = [name]
        read = { (root, rest, _) throws(ServiceError) in
            guard let json = rest.value(name) else { return try ifMissing(rest.path(name)) }
            root[keyPath: path] = try Value(answer: json, rest.path(name))
        }
    }

    /// A member of the contract that no property of this client holds.
    init(unread name: String) {
        names = [name]
        read = { (_, rest, _) in _ = rest.take(name) }
    }

    /// The members of another object, of which the table has none behind this.
    init<Value: AnswerObject>(beside path: Path<Value>) {
        names = Value.members.flatMap(\.names)
        read = { (root, rest, _) throws(ServiceError) in root[keyPath: path] = try Value(.object(rest.members)) }
    }

    /// The object as the service sent it.
    init(whole path: Path<JSONValue>) {
        names = []
        read = { (root, _, whole) in root[keyPath: path] = whole }
    }
}
