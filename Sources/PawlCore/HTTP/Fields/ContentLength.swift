/// The combined meaning of the `Content-Length` fields of a message (RFC 9110 §8.6).
package enum ContentLength: Equatable, Sendable {
    case absent
    case valid(Int64)
    /// The message's framing cannot be trusted: close the connection and discard (RFC 9112 §6.3).
    case invalid

    /// Takes all field lines of that name. A list whose members are all valid and the same number counts as that number
    /// (RFC 9112 §6.3); anything else is invalid.
    package init(fieldValues: [String]) {
        var length: Int64?
        for value in fieldValues {
            let bytes = Array(value.utf8)
            for member in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let decimal = ASCII.decimal(ASCII.trimmingBlanks(member))
                guard case .value(let number) = decimal, length == nil || length == number else {
                    self = .invalid
                    return
                }
                length = number
            }
        }
        self = length.map(ContentLength.valid) ?? .absent
    }
}
