import PawlCore

/// A call, before it is sent.
package struct ServiceRequest: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    var method: Method
    /// The path and query beneath `/api/v1/`.
    var target: String
    var fields: [HTTPField] = []
    var body: [UInt8]?
    /// Whether sending the request twice has the same effect as once, so that a lost answer may be asked for again.
    var isIdempotent: Bool

    static func get(_ target: String) -> ServiceRequest {
        ServiceRequest(method: .get, target: target, isIdempotent: true)
    }

    init(method: Method, target: String, body: JSONValue? = nil, isIdempotent: Bool) {
        self.method = method
        self.target = target
        self.isIdempotent = isIdempotent
        guard let body else { return }
        self.body = Array(body.encoded.utf8)
        fields = [HTTPField("Content-Type", "application/json")]
    }
}

/// The answer, complete.
struct ServiceAnswer: Sendable {
    var status: Int
    var contentType: String
    var body: [UInt8]
}
