/// One field line of a message (RFC 9110 §5).
public struct HTTPField: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension Sequence<HTTPField> {
    /// The values of every line with this name, in the order received. Names are compared without case (RFC 9110 §5.1).
    package func values(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    package func first(_ name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }?.value
    }
}

/// Status and fields of a final response.
package struct ResponseHead: Hashable, Sendable {
    package let status: Int
    package let fields: [HTTPField]
    /// True for HTTP/1.0, whose close-delimited bodies cannot be told from cut ones.
    package let isHTTP10: Bool

    package init(status: Int, fields: [HTTPField], isHTTP10: Bool = false) {
        self.status = status
        self.fields = fields
        self.isHTTP10 = isHTTP10
    }
}
