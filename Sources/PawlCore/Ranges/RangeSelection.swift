/// The parts of a file to fetch, as people and RFC 9110 §14.1.1 write them: `0-499`, `500-`, `-500`, `500-599,800-899`.
///
/// What a range means may depend on the length of the file, so a selection is resolved when that is known.
public struct RangeSelection: Hashable, Sendable {
    /// A range of a selection.
    public enum Part: Hashable, Sendable {
        /// The bytes from a position up to another one, not included; a nil end is the end of the file.
        case from(Int64, end: Int64?)
        /// The last so many bytes.
        case last(Int64)
    }

    /// The parts in the order requested; never empty.
    public let parts: [Part]

    /// The largest number of parts: more than a user needs, and as many as a journal has room for.
    public static let maximumParts = 1000

    /// The reason why a text or some numbers are not a selection.
    public struct Problem: Error, Hashable, Sendable {
        /// A sentence that says what is wrong and what is accepted.
        public let message: String
    }

    /// - Throws: ``Problem`` when there is no part, too many, or one that is empty or starts below zero.
    public init(_ parts: [Part]) throws(Problem) {
        guard !parts.isEmpty else { throw Problem(message: "No range is given. " + Self.accepted) }
        guard parts.count <= Self.maximumParts else {
            throw Problem(message: "\(parts.count) ranges are too many: one download can have \(Self.maximumParts).")
        }
        for part in parts {
            switch part {
            case .from(let start, let end):
                guard start >= 0 else {
                    throw Problem(message: "A range cannot start at \(start), before the first byte.")
                }
                if let end, end <= start {
                    throw Problem(message: "The range from \(start) to \(end) is empty.")
                }
            case .last(let count):
                guard count > 0 else { throw Problem(message: "A range of the last \(count) bytes is empty.") }
            }
        }
        self.parts = parts
    }

    /// - Throws: ``Problem`` when there is no range, or one that is empty.
    public init(_ ranges: [ByteRange]) throws(Problem) {
        try self.init(ranges.map { Part.from($0.start, end: $0.end) })
    }

    // MARK: Meaning

    /// A selection applied to a file.
    package struct Resolved: Hashable, Sendable {
        /// The pieces in the order requested; they may overlap.
        package var pieces: [ByteRange]
        package var wanted: RangeSet

        /// The number of bytes of the pieces, one after the other.
        package var count: Int64 { pieces.reduce(0) { $0.addingReportingOverflow($1.count).partialValue } }

        /// Whether the pieces, one behind the other, are the wanted ranges in their order.
        package var isAscending: Bool { zip(pieces, pieces.dropFirst()).allSatisfy { $0.end <= $1.start } }
    }

    /// Throws when a part has no byte in a file of this length. A part that goes on past the end is cut there (RFC 9110
    /// §14.1.2).
    package func resolved(total: Int64) throws(Problem) -> Resolved {
        var pieces: [ByteRange] = []
        for part in parts {
            let range: ByteRange? =
                switch part {
                case .from(let start, let end): ByteRange(start: start, end: min(end ?? total, total))
                case .last(let count): ByteRange(start: max(0, total - count), end: total)
                }
            guard let range, !range.isEmpty else {
                throw Problem(
                    message: "The range \(Self.text(part)) is beyond the end of the file, which has \(total) bytes.")
            }
            pieces.append(range)
        }
        return Resolved(pieces: pieces, wanted: RangeSet(pieces))
    }

    /// Whether the parts follow one another and do not overlap whatever the length of the file; or there is only one.
    /// Parts counted from the end may come last, but whether they overlap others is known only with the length.
    package var isSurelyAscending: Bool {
        var position: Int64? = 0
        for part in parts {
            switch part {
            case .from(let start, let end):
                guard let last = position, start >= last else { return false }
                position = end
            case .last:
                guard parts.count == 1 else { return false }
                position = nil
            }
        }
        return true
    }

    /// The selection applied to a file of unknown length; nil if it depends on the length.
    package var withoutTotal: Resolved? {
        var pieces: [ByteRange] = []
        for part in parts {
            guard case .from(let start, let end?) = part, let range = ByteRange(start: start, end: end) else {
                return nil
            }
            pieces.append(range)
        }
        return Resolved(pieces: pieces, wanted: RangeSet(pieces))
    }
}

// MARK: - Text

extension RangeSelection: CustomStringConvertible {
    /// The selection as RFC 9110 writes it, without the unit: `0-499,-500`.
    public var description: String { parts.map(Self.text).joined(separator: ",") }

    private static func text(_ part: Part) -> String {
        switch part {
        case .from(let start, let end): "\(start)-" + (end.map { String($0 - 1) } ?? "")
        case .last(let count): "-\(count)"
        }
    }

    private static let accepted =
        "Ranges are first and last byte, counted from 0: 0-499, or 500- to the end, or -500 for the last 500, with commas between them."

    /// Reads the `ranges-specifier` of RFC 9110 §14.1.1, with or without `bytes=` before it.
    ///
    /// - Throws: ``Problem``.
    public init(parsing text: String) throws(Problem) {
        var rest = text[...]
        if let equals = rest.firstIndex(of: "=") {
            guard rest[..<equals].lowercased() == "bytes" else {
                throw Problem(
                    message: "“\(rest[..<equals])” is not a supported unit; ranges are in bytes. " + Self.accepted)
            }
            rest = rest[rest.index(after: equals)...]
        }
        var parts: [Part] = []
        for word in rest.split(separator: ",", omittingEmptySubsequences: false) {
            var word = word
            while let first = word.first, first == " " || first == "\t" { word.removeFirst() }
            while let last = word.last, last == " " || last == "\t" { word.removeLast() }
            parts.append(try Self.part(word))
            // Said at once, so that a text without end costs nothing.
            guard parts.count <= Self.maximumParts else { break }
        }
        try self.init(parts)
    }

    private static func part(_ word: Substring) throws(Problem) -> Part {
        let bounds = word.split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, !(bounds[0].isEmpty && bounds[1].isEmpty) else {
            throw Problem(message: (word.isEmpty ? "A range is empty. " : "“\(word)” is not a range. ") + accepted)
        }
        let last = bounds[1].isEmpty ? nil : try number(bounds[1], in: word)
        guard !bounds[0].isEmpty else {
            guard let last, last > 0 else {
                throw Problem(message: "“\(word)” is empty: it means the last 0 bytes. " + accepted)
            }
            return .last(last)
        }
        let first = try number(bounds[0], in: word)
        guard let last else { return .from(first, end: nil) }
        guard last >= first else { throw Problem(message: "The range “\(word)” ends before it starts. " + accepted) }
        let (end, overflow) = last.addingReportingOverflow(1)
        // To the last position that there can be is to the end.
        return .from(first, end: overflow ? nil : end)
    }

    private static func number(_ text: Substring, in word: Substring) throws(Problem) -> Int64 {
        switch ASCII.decimal(Array(text.utf8)[...]) {
        case .value(let number): return number
        case .overflow: throw Problem(message: "“\(text)” is too large. " + accepted)
        case .notDecimal: throw Problem(message: "“\(text)” in “\(word)” is not a number. " + accepted)
        }
    }
}
