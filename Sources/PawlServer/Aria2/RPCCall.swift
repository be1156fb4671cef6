import PawlCore

/// The failure of a call, in aria2's numbers and words.
struct RPCError: Error, Hashable {
    var code = 1
    var message: String

    init(_ message: String) { self.message = message }

    private init(_ code: Int, _ message: String) { (self.code, self.message) = (code, message) }

    static let unauthorized = RPCError("Unauthorized")
    static let invalidRequest = RPCError(-32600, "Invalid Request.")
    static let invalidParameters = RPCError(-32602, "Invalid params.")
    static let notJSON = RPCError(-32700, "Parse error.")
    static let tooLarge = RPCError(
        "The answer to this message would be larger than \(RPCText.limit >> 20) MiB. Ask for fewer downloads, or fewer keys of them, at once."
    )

    var json: JSONValue { ["code": .integer(code), "message": .string(message)] }
}

/// A call of JSON-RPC 2.0, with the liberties that aria2's clients take.
struct RPCCall: Sendable {
    var id: JSONValue
    var method: String
    var parameters: RPCParameters

    /// - Returns: nil for what is no object, which a batch skips.
    static func read(_ value: JSONValue) -> Result<RPCCall, RPCAnswer.Failure>? {
        guard case .object(let members) = value else { return nil }
        func member(_ name: StaticString) -> JSONValue? { members.last { $0.key.isExactly("\(name)") }?.value }
        guard let id = member("id") else { return .failure(.init(id: .null, error: .invalidRequest)) }
        guard case .string(let method)? = member("method") else {
            return .failure(.init(id: id, error: .invalidRequest))
        }
        switch member("params") {
        case nil: return .success(RPCCall(id: id, method: method, parameters: RPCParameters([])))
        case .array(let values): return .success(RPCCall(id: id, method: method, parameters: RPCParameters(values)))
        default: return .failure(.init(id: id, error: .invalidParameters))
        }
    }
}

/// The parameters of a call, by position.
struct RPCParameters: Sendable {
    private(set) var values: [JSONValue]

    init(_ values: [JSONValue]) { self.values = values }

    /// Takes the token away that stands in front.
    mutating func takeToken() -> String? {
        guard case .string(let text)? = values.first, text.utf8.starts(with: "token:".utf8) else { return nil }
        values.removeFirst()
        return String(Substring(text.utf8.dropFirst(6)))
    }

    private func value<Value>(_ index: Int, _ read: (JSONValue) -> Value?) throws(RPCError) -> Value? {
        guard index < values.count else { return nil }
        guard let value = read(values[index]) else { throw RPCError("The parameter at \(index) has wrong type.") }
        return value
    }

    private func present<Value>(_ value: Value?, _ index: Int) throws(RPCError) -> Value {
        guard let value else { throw RPCError("The parameter at \(index) is required but missing.") }
        return value
    }

    private func number(_ index: Int) throws(RPCError) -> Int? {
        try value(index) { if case .integer(let number) = $0 { Int(clamping: number) } else { nil } }
    }

    func text(_ index: Int) throws(RPCError) -> String {
        try present(try value(index) { if case .string(let text) = $0 { text } else { nil } }, index)
    }

    func integer(_ index: Int, atLeast least: Int = .min) throws(RPCError) -> Int {
        let number = try present(try number(index), index)
        guard number >= least else {
            throw RPCError(
                "The integer parameter at \(index) has invalid value: the value must be greater than or equal to \(least)."
            )
        }
        return number
    }

    /// A place in the queue; nil if none is given.
    func position(_ index: Int) throws(RPCError) -> Int? {
        let number = try number(index)
        if let number, number < 0 { throw RPCError("Position must be greater than or equal to 0.") }
        return number
    }

    private func listIfPresent(_ index: Int) throws(RPCError) -> [JSONValue]? {
        try value(index) { if case .array(let values) = $0 { values } else { nil } }
    }

    func list(_ index: Int) throws(RPCError) -> [JSONValue] { try present(try listIfPresent(index), index) }

    /// Returns the texts in a list; other elements are ignored.
    func texts(_ index: Int) throws(RPCError) -> [String] { Self.texts(try list(index)) }

    private static func texts(_ values: [JSONValue]) -> [String] {
        values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// The keys that a status is asked for; empty for all.
    func keys(_ index: Int) throws(RPCError) -> StatusKeys { StatusKeys(Self.texts(try listIfPresent(index) ?? [])) }

    private func optionsIfPresent(_ index: Int) throws(RPCError) -> JSONValue? {
        try value(index) { if case .object = $0 { $0 } else { nil } }
    }

    func options(_ index: Int) throws(RPCError) -> JSONValue { try present(try optionsIfPresent(index), index) }

    func optionalOptions(_ index: Int) throws(RPCError) -> JSONValue? { try optionsIfPresent(index) }
}

/// The answer to a call.
struct RPCAnswer: Sendable {
    /// The error of something that is not even a call.
    struct Failure: Error {
        var id: JSONValue
        var error: RPCError

        static let noCall = Failure(id: .null, error: .invalidRequest)
    }

    var id: JSONValue
    var result: Result<RPCText, RPCError>

    init(id: JSONValue, result: Result<RPCText, RPCError>) { (self.id, self.result) = (id, result) }

    init(_ failure: Failure) { self.init(id: failure.id, result: .failure(failure.error)) }

    var text: RPCText {
        switch result {
        case .success(let result): RPCText(result: result, id: id)
        case .failure(let error): RPCText(["id": id, "jsonrpc": "2.0", "error": error.json])
        }
    }

    /// Clients over HTTP take any 2xx for success.
    var status: Int {
        guard case .failure(let error) = result else { return 200 }
        return error.code == 1 || error == .invalidRequest ? 400 : 500
    }
}
