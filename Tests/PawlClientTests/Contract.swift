import PawlCore
import PawlTestKit

/// The schemas of openapi.json.
struct Contract: Sendable {
    static let shared = Result { try Contract() }

    private let document: JSONValue

    init(file: String = #filePath) throws {
        // From Tests/PawlClientTests/THIS.
        let root = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        document = try JSONValue(parsing: try Files.read("\(root)/Sources/PawlServer/API/openapi.json"))
    }

    /// - Parameter path: a schema's name; behind a dot, the property whose items are meant.
    func schema(_ path: String) throws -> JSONValue {
        let names = path.split(separator: ".").map(String.init)
        var schema: JSONValue = ["$ref": .string("#/components/schemas/\(names[0])")]
        if names.count > 1 { schema = try properties(schema)[names[1]]?["items"] ?? .null }
        return try resolved(schema)
    }

    var schemaNames: Set<String> { Set(document["components"]?["schemas"]?.keys ?? []) }

    /// The parameters of a query by their names.
    func parameters(_ path: String, _ method: String) throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for parameter in document["paths"]?[path]?[method]?["parameters"]?.values ?? [] {
            guard parameter["in"] == "query", case .string(let name)? = parameter["name"] else { continue }
            found[name] = parameter["schema"]
        }
        return found
    }

    func properties(_ schema: JSONValue) throws -> [String: JSONValue] {
        guard case .object(let members)? = try resolved(schema)["properties"] else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    }

    func required(_ schema: JSONValue) throws -> Set<String> {
        Set(try resolved(schema)["required"]?.texts ?? [])
    }

    /// Follows a reference, and merges the parts of `allOf`.
    private func resolved(_ schema: JSONValue) throws -> JSONValue {
        if case .string(let reference)? = schema["$ref"] {
            var target = document
            for part in reference.split(separator: "/").dropFirst() {
                guard let next = target[String(part)] else { throw ContractError(reference) }
                target = next
            }
            return try resolved(target)
        }
        guard let parts = schema["allOf"]?.values else { return schema }
        let properties = try parts.flatMap { part -> [JSONValue.Member] in
            if case .object(let members)? = try resolved(part)["properties"] { members } else { [] }
        }
        let required = try parts.flatMap { try self.required($0) }
        return ["type": "object", "properties": .object(properties), "required": .array(required.map { .string($0) })]
    }

    // MARK: Examples

    /// Values that the schema allows: one of each alternative, and first one with all members.
    func examples(_ schema: JSONValue) throws -> [JSONValue] {
        let schema = try resolved(schema)
        if case .object(let properties)? = schema["properties"] { return try examples(ofObject: properties) }
        if let value = schema["const"] { return [value] }
        if let values = schema["enum"]?.values { return values }
        if let parts = (schema["oneOf"] ?? schema["anyOf"])?.values { return try parts.flatMap(examples) }
        return try types(schema).map { type in
            switch type {
            case "null": .null
            case "boolean": .boolean(true)
            case "integer", "number": schema["minimum"] ?? 1
            case "string": schema["examples"]?.values.first ?? "text"
            case "array": .array(try examples(schema["items"] ?? .null))
            // A job, which docs/jobs.md describes.
            case "object": ["url": "https://example.org/disk.iso"]
            default: throw ContractError("the type \(type)")
            }
        }
    }

    private func examples(ofObject properties: [JSONValue.Member]) throws -> [JSONValue] {
        let values = try properties.map { (key: $0.key, values: try examples($0.value)) }
        let whole = JSONValue.object(values.map { JSONValue.Member(key: $0.key, value: $0.values[0]) })
        return [whole] + values.flatMap { key, values in values.dropFirst().map { whole.setting(key, $0) } }
    }

    private func types(_ schema: JSONValue) -> [String] {
        if case .string(let type)? = schema["type"] { [type] } else { schema["type"]?.texts ?? [] }
    }

    // MARK: Checking

    /// Why a value is not one that the schema allows; empty if it is.
    func problems(_ value: JSONValue, _ schema: JSONValue, _ path: String) throws -> [String] {
        let schema = try resolved(schema)
        let types = types(schema)
        if !types.isEmpty, !types.contains(where: value.kinds.contains) { return ["\(path): is no \(types)"] }
        if let only = schema["const"], value != only { return ["\(path): is not \(only.encoded)"] }
        if let words = schema["enum"]?.values, !words.contains(value) { return ["\(path): \(value.encoded) is none"] }
        var problems: [String] = []
        if let parts = (schema["oneOf"] ?? schema["anyOf"])?.values {
            let found = try parts.map { try self.problems(value, $0, path) }
            if found.count(where: \.isEmpty) != 1 { problems.append("\(path): not one of \(found)") }
        }
        switch value {
        case .array(let values): problems += try self.problems(ofList: values, schema, path)
        case .object(let members): problems += try self.problems(ofObject: members, schema, path)
        case .integer(let number):
            if case .integer(let least)? = schema["minimum"], number < least { problems.append("\(path): too small") }
            if case .integer(let most)? = schema["maximum"], number > most { problems.append("\(path): too large") }
        default: break
        }
        return problems
    }

    private func problems(ofList values: [JSONValue], _ schema: JSONValue, _ path: String) throws -> [String] {
        let first = schema["prefixItems"]?.values ?? []
        return try values.enumerated().flatMap { index, value -> [String] in
            let name = "\(path)[\(index)]"
            if index < first.count { return try problems(value, first[index], name) }
            guard let items = schema["items"] else { return [] }
            return items == .boolean(false) ? ["\(name): one too many"] : try problems(value, items, name)
        }
    }

    private func problems(
        ofObject members: [JSONValue.Member], _ schema: JSONValue, _ path: String
    ) throws -> [String] {
        let known = try properties(schema)
        var problems = try required(schema).subtracting(members.map(\.key)).map { "\(path).\($0): is missing" }
        for member in members {
            if let property = known[member.key] {
                problems += try self.problems(member.value, property, "\(path).\(member.key)")
            } else if schema["additionalProperties"] == .boolean(false) {
                problems.append("\(path).\(member.key): is not in the contract")
            }
        }
        return problems
    }
}

struct ContractError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension JSONValue {
    subscript(_ key: String) -> JSONValue? {
        if case .object(let members) = self { members.first { $0.key.isExactly(key) }?.value } else { nil }
    }

    var values: [JSONValue] { if case .array(let values) = self { values } else { [] } }

    var keys: [String] { if case .object(let members) = self { members.map(\.key) } else { [] } }

    /// Returns the object with a member replaced; a nil value removes the member.
    func setting(_ key: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.compactMap { member in
                guard member.key.isExactly(key) else { return member }
                return value.map { Member(key: key, value: $0) }
            })
    }

    /// The types of JSON Schema that the value has.
    var kinds: Set<String> {
        switch self {
        case .null: ["null"]
        case .boolean: ["boolean"]
        case .integer: ["integer", "number"]
        case .decimal: ["number"]
        case .string: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }
}
