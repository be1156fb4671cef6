import PawlCore
import PawlJobs

/// A JSON object in requests. Its table of members is all that its encoding knows.
protocol RequestObject: RequestValue {
    static var members: [RequestMember<Self>] { get }
}

extension RequestObject {
    static var contractType: ContractType { .object(members.flatMap(\.contract)) }

    var json: JSONValue { .object(Self.members.flatMap { $0.written(self) }) }
}

/// One member of a ``RequestObject``: its name and type in the contract, and where its value comes from.
struct RequestMember<Root>: Sendable {
    typealias Path<Value> = any KeyPath<Root, Value> & Sendable

    let contract: [ContractMember]
    /// Empty: the member is left out.
    let written: @Sendable (Root) -> [JSONValue.Member]

    private init(_ name: String, _ type: ContractType, isRequired: Bool, _ json: @escaping @Sendable (Root) -> JSONValue?)
    {
        contract = [ContractMember(name: name, type: type, isRequired: isRequired)]
        written = { root in json(root).map { [JSONValue.Member(key: name, value: $0)] } ?? [] }
    }

    init<Value: RequestValue>(_ name: String, _ path: Path<Value>) {
        self.init(name, Value.contractType, isRequired: true) { $0[keyPath: path].json }
    }

    /// A member that is left out if it is nil.
    init<Value: RequestValue>(_ name: String, _ path: Path<Value?>) {
        self.init(name, Value.contractType, isRequired: false) { $0[keyPath: path]?.json }
    }

    /// A member that is left out if it has this value.
    init<Value: RequestValue & Equatable & Sendable>(_ name: String, _ path: Path<Value>, unless usual: Value) {
        self.init(name, Value.contractType, isRequired: false) { root in
            let value = root[keyPath: path]
            return value == usual ? nil : value.json
        }
    }

    /// The members of a job, which PawlJobs writes. A test compares them with the contract by examples.
    init(job path: Path<JobSpec>) {
        contract = []
        written = { if case .object(let members) = $0[keyPath: path].jsonValue { members } else { [] } }
    }
}
