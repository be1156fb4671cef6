/// The part of a representation that one request asks for, and how.
package struct RangeRequest: Hashable, Sendable {
    package var start: Int64
    /// The end of the range, exclusive; nil asks for everything from `start` on.
    package var end: Int64?
    /// Whether the request has a `Range`.
    package var isRanged: Bool
    package var condition: RangeCondition
    /// The last so many bytes, of a file whose length is not known yet; `start` and `end` are then unused.
    package var suffix: Int64?
    /// Whether no other range is needed, so that nothing has to be combined with the response.
    package var isEnough = false
    /// Several ranges in one request, ascending and apart; `start` and `end` are the first and last of all then. Empty:
    /// one range.
    package var several: [ByteRange] = []

    package init(start: Int64, end: Int64?, isRanged: Bool = true, condition: RangeCondition = .none) {
        self.start = start
        self.end = end
        self.isRanged = isRanged
        self.condition = condition
    }

    /// The fields of this request. Single ranges only, and always `identity`: a coding would change what positions
    /// count (RFC 9110 §14.1.2), and some servers ignore ranges as soon as they may compress (FAULTS R25).
    package var fields: [HTTPField] {
        var fields = [HTTPField("Accept-Encoding", "identity")]
        guard isRanged else { return fields }
        if !several.isEmpty {
            fields.append(
                HTTPField("Range", "bytes=" + several.map { "\($0.start)-\($0.end - 1)" }.joined(separator: ",")))
            if let field = condition.field { fields.append(field) }
            return fields
        }
        let last = end.map { String($0 - 1) } ?? ""
        fields.append(HTTPField("Range", suffix.map { "bytes=-\($0)" } ?? "bytes=\(start)-\(last)"))
        if let field = condition.field { fields.append(field) }
        return fields
    }
}
