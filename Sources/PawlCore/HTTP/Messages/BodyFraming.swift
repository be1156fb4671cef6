/// The rule by which the content of a response ends (RFC 9112 §6.3), as its fields state it.
package enum BodyFraming: Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        /// A transfer coding besides `chunked`, which was not asked for and would be stored in place of the file.
        case transferCoding
        case contentLength
        /// Both a length and chunks: two recipients may see two messages.
        case conflict
    }

    case length(Int64)
    case chunked
    case untilClose
    case invalid(Problem)

    package init(_ fields: [HTTPField]) {
        let length = ContentLength(fieldValues: fields.values("content-length"))
        // `identity` is no coding, and went with RFC 7230.
        switch (fields.members("transfer-encoding").filter { $0 != "identity" }, length) {
        case ([], .absent): self = .untilClose
        case ([], .valid(let count)): self = .length(count)
        case ([], .invalid): self = .invalid(.contentLength)
        case (["chunked"], .absent): self = .chunked
        case (["chunked"], .valid), (["chunked"], .invalid): self = .invalid(.conflict)
        default: self = .invalid(.transferCoding)
        }
    }
}
