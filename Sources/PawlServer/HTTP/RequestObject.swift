import PawlCore

/// The object that a client has sent, or one within it.
typealias RequestObject = JSONObject<Problem>

extension Problem: JSONObjectError {
    init(_ problem: JSONObjectProblem) {
        switch problem {
        case .noObject(""): self.init(422, "invalidValue", "The body must be a JSON object.")
        case .noObject(let name): self = .invalid(name, "“\(name)” must be a JSON object.")
        case .missing(let name): self.init(422, "missingField", "“\(name)” is missing.", fields: [name])
        case .wrong(let name, let expected): self = .invalid(name, "“\(name)” must be \(expected).")
        case .unknown(let name):
            self.init(422, "unknownField", "“\(name)” is not a field of this request.", fields: [name])
        }
    }
}

extension RequestObject {
    /// - Throws: for a null as one of these members, as it has no meaning in a patch. ``finish()`` refuses unknown
    ///   ones.
    func refuseNull(_ names: [String]) throws(Problem) {
        guard let wrong = members.first(where: { $0.value == .null && names.containsExactly($0.key) }) else { return }
        throw .invalid(wrong.key, "“\(wrong.key)” cannot be null.")
    }
}

extension HTTPCall {
    func json() throws(Problem) -> JSONValue {
        let type =
            ASCII.lowercased((field("content-type") ?? "")[...].utf8).utf8.split(separator: UInt8(ascii: ";")).first
            ?? "".utf8[...]
        guard type.elementsEqual("application/json".utf8) else {
            throw Problem(415, "wrongType", "The body must be JSON.", hint: "Send “Content-Type: application/json”.")
        }
        do throws(JSONValue.Problem) {
            return try JSONValue(parsing: body)
        } catch {
            throw Problem(400, "malformed", "The body is not valid JSON at byte \(error.position): \(error.message)")
        }
    }
}

/// The id of a download: a UUID in lower case.
func isDownloadID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index)
            ? byte == UInt8(ascii: "-") : ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
