import PawlCore
import PawlJobs

/// A JSON object in requests. Its table of members is all that its encoding knows. A test compares the tables with
/// openapi.json.
protocol RequestObject: RequestValue {
    static var members: [RequestMember<Self>] { get }
}

extension RequestObject {
    var json: JSONValue { .object(Self.members.flatMap { $0.written(self) }) }
}

/// A member of a ``RequestObject``: its name, and the property that has its value.
struct RequestMember<Root>: Sendable {
    typealias Path<Value> = any KeyPath<Root, Value> & Sendable

    /// Returns the written members; none if the member is left out.
    fileprivate let written: @Sendable (Root) -> [JSONValue.Member]

    private init(_ name: String, json: @escaping @Sendable (Root) -> JSONValue?) {
        written = { root in json(root).map { [JSONValue.Member(key: name, value: $0)] } ?? [] }
    }

    /// A member that is always there. The label keeps it from being chosen for a member that may be left out.
    init<Value: RequestValue>(always name: String, _ path: Path<Value>) {
        self.init(name) { $0[keyPath: path].json }
    }

    /// A member that is left out if it is nil.
    init<Value: RequestValue>(_ name: String, _ path: Path<Value?>) {
        self.init(name) { $0[keyPath: path]?.json }
    }

    /// A member that is left out if it has this value.
    init<Value: RequestValue & Equatable>(_ name: String, _ path: Path<Value>, unless usual: Value) {
        self.init(name) { $0[keyPath: path] == usual ? nil : $0[keyPath: path].json }
    }

    /// The members of a job, which PawlJobs writes.
    init(job path: Path<JobSpec>) {
        written = { if case .object(let members) = $0[keyPath: path].jsonValue { members } else { [] } }
    }
}
