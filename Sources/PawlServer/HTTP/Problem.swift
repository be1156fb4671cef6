import PawlCore

/// The reason why a request was not carried out (RFC 9457). Its codes are described in docs/api.md.
struct Problem: Error, Hashable, Sendable {
    var status: Int
    var code: String
    /// A sentence for a person.
    var detail: String
    /// Advice that would help, as a sentence.
    var hint: String?
    /// The members or parameters that are wrong.
    var fields: [String] = []
    /// The download that is in the way.
    var id: String?
    /// The line of a document.
    var line: Int?
    /// The time to wait before trying again, in seconds.
    var retryAfter: Int?
    /// The methods that the resource takes, for one that refuses this method.
    var allow: String?

    init(_ status: Int, _ code: String, _ detail: String, hint: String? = nil, fields: [String] = [], id: String? = nil)
    {
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.fields = fields
        self.id = id
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init(key: "type", value: .string("docs/api.md#\(code)")), .init(key: "title", value: .string(title)),
            .init(key: "status", value: .integer(status)), .init(key: "detail", value: .string(detail)),
            .init(key: "code", value: .string(code)), .init(key: "hint", value: .optional(hint)),
        ]
        if !fields.isEmpty { members.append(.init(key: "fields", value: .array(fields.map { .string($0) }))) }
        if let id { members.append(.init(key: "id", value: .string(id))) }
        if let line { members.append(.init(key: "line", value: .integer(line))) }
        return .object(members)
    }

    /// The words of the code: `unknownDownload` is `Unknown download`.
    private var title: String {
        var text: [UInt8] = []
        for (index, byte) in code.utf8.enumerated() {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpper { text.append(UInt8(ascii: " ")) }
            text.append(index == 0 ? byte & 0xDF : isUpper ? byte | 0x20 : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    var answer: HTTPAnswer {
        var answer = HTTPAnswer(
            status: status, fields: [("content-type", "application/problem+json")], body: .text(json.encoded))
        if let retryAfter { answer.fields.append(("retry-after", "\(retryAfter)")) }
        if let allow { answer.fields.append(("allow", allow)) }
        if status == 401 { answer.fields.append(("www-authenticate", "Bearer realm=\"pawl\"")) }
        return answer
    }
}

extension Problem {
    static func invalid(_ field: String, _ detail: String) -> Problem {
        Problem(422, "invalidValue", detail, fields: [field])
    }

    /// A parameter of the query.
    static func parameter(_ name: String, _ detail: String) -> Problem {
        Problem(400, "malformed", detail, fields: [name])
    }

    static let notFound = Problem(
        404, "noSuchPath", "There is nothing at this path.", hint: "docs/api.md lists all calls.")
}
