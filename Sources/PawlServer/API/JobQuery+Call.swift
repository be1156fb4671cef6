import PawlCore

/// `GET /downloads`, and the filters of actions.
extension JobQuery {
    /// - Throws: ``Problem`` for a parameter that cannot be used.
    init(_ call: HTTPCall) throws(Problem) {
        self.init()
        if let words = call.parameter("state") {
            for word in words.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                guard let state = StoredJob.State(exactly: String(word) ?? "") else {
                    throw .parameter(
                        "state",
                        "“state” lists states: \(StoredJob.State.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                states.insert(state)
            }
        }
        text = try Self.text(call, "q", 256)
        if let tag = call.parameter("tag") {
            do throws(Problem) { self.tag = try NewDownload.tag(tag) } catch { throw .parameter("tag", error.detail) }
        }
        if var word = call.parameter("sort") {
            isDescending = word.utf8.first == UInt8(ascii: "-")
            if isDescending { word = String(decoding: word.utf8.dropFirst(), as: UTF8.self) }
            guard let key = Key(exactly: word) else {
                throw .parameter(
                    "sort",
                    "“sort” must be one of \(Key.allCases.map(\.rawValue).joined(separator: ", ")), optionally with - in front."
                )
            }
            self.key = key
        }
        limit = try Self.number(call, "limit", 1...1000) ?? 100
        offset = try Self.number(call, "offset", 0...10_000_000) ?? 0
        if let text = try Self.text(call, "cursor", 8192) {
            guard offset == 0 else { throw .parameter("cursor", "“cursor” and “offset” are mutually exclusive.") }
            guard let cursor = Cursor(text, self) else {
                throw .parameter("cursor", "“cursor” must be the “next” of a response to the same query.")
            }
            after = cursor
        }
    }

    static func number(_ call: HTTPCall, _ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = call.parameter(name) else { return nil }
        guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number) else {
            throw .parameter(name, "“\(name)” must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func text(_ call: HTTPCall, _ name: String, _ limit: Int) throws(Problem) -> String? {
        guard let text = call.parameter(name) else { return nil }
        guard (1...limit).contains(text.utf8.count), !text.utf8.contains(0) else {
            throw .parameter(name, "“\(name)” must be a string of 1 to \(limit) bytes.")
        }
        return text
    }
}

extension JobQuery.Cursor {
    /// Encodes the cursor as a text that is valid for this order only.
    func text(_ query: JobQuery) -> String {
        let order: JSONValue = .string((query.isDescending ? "-" : "") + query.key.rawValue)
        let values = values.map { value -> JSONValue in
            switch value {
            case .none: .null
            case .integer(let number): .integer(number)
            case .text(let text): .string(text)
            }
        }
        return Base64URL.encode(Array(JSONValue.array([order] + values).encoded.utf8))
    }

    /// Decodes a cursor; a number edited by hand leads to another place of the same list; nil if the text is no cursor
    /// or belongs to another order.
    fileprivate init?(_ text: String, _ query: JobQuery) {
        guard let bytes = Base64URL.decode(text), case .array(let parts)? = try? JSONValue(parsing: bytes),
            case .string(let order)? = parts.first,
            order.utf8.elementsEqual(((query.isDescending ? "-" : "") + query.key.rawValue).utf8)
        else { return nil }
        var values: [Value] = []
        for part in parts.dropFirst() {
            switch part {
            case .null: values.append(.none)
            case .integer(let number): values.append(.integer(number))
            case .string(let text): values.append(.text(text))
            default: return nil
            }
        }
        self.init(values)
    }
}
