/// The `Content-Range` field of a 206 or a 416 (RFC 9110 §14.4), with its inclusive positions made half-open.
package enum ContentRange: Equatable, Sendable {
    /// `bytes first-last/total`; the total is nil when the server wrote `*`.
    case range(ByteRange, total: Int64?)

    /// `bytes */total`. The grammar wants a number there; `*/*` is taken as "no total", since it claims nothing.
    case unsatisfied(total: Int64?)

    /// Strict, because bytes are stored where this field says: exactly one space after the unit, digits only, last not
    /// before first, total beyond last. Some clients repair `100-199/200` or `bytes=100-199/200`; here they are
    /// refused.
    package init(parsing value: String) throws(ContentRangeError) {
        var scanner = FieldScanner(value)
        guard let unit = scanner.takeToken() else { throw .missingUnit }
        let isBytes = unit.lowercased() == "bytes"
        guard scanner.take(" ") else { throw isBytes ? .malformed : .missingUnit }
        guard isBytes else { throw .otherUnit(unit) }

        let positions = scanner.take { $0 != UInt8(ascii: "/") }
        guard scanner.take("/") else { throw .malformed }
        let total = try Self.total(scanner.take { _ in true })

        if positions.elementsEqual("*".utf8) {
            self = .unsatisfied(total: total)
        } else {
            self = .range(try Self.range(positions, total: total), total: total)
        }
    }

    private static func total(_ bytes: ArraySlice<UInt8>) throws(ContentRangeError) -> Int64? {
        bytes.elementsEqual("*".utf8) ? nil : try number(bytes)
    }

    private static func range(_ positions: ArraySlice<UInt8>, total: Int64?) throws(ContentRangeError) -> ByteRange {
        guard let dash = positions.firstIndex(of: UInt8(ascii: "-")) else { throw .malformed }
        let first = try number(positions[..<dash])
        let last = try number(positions[(dash + 1)...])
        // The half-open end is one more than the last position, and has to exist.
        let (end, overflow) = last.addingReportingOverflow(1)
        guard !overflow else { throw .overflow }
        guard first <= last, total.map({ $0 > last }) ?? true, let range = ByteRange(start: first, end: end) else {
            throw .inconsistent
        }
        return range
    }

    private static func number(_ bytes: ArraySlice<UInt8>) throws(ContentRangeError) -> Int64 {
        switch ASCII.decimal(bytes) {
        case .value(let number): return number
        case .overflow: throw .overflow
        case .notDecimal: throw .malformed
        }
    }
}

package enum ContentRangeError: Error, Equatable, Sendable {
    case missingUnit
    /// A unit other than `bytes`; such a part must not be combined with others (RFC 9110 §14.4).
    case otherUnit(String)
    case malformed
    /// A number beyond what a byte position can be here.
    case overflow
    /// Well written, but the last position lies before the first or not within the total.
    case inconsistent
}
