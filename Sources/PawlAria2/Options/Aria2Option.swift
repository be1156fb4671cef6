import PawlCore
import PawlJobs

/// An option of aria2: the values that it takes, what it is if nobody says, and the RPC calls that take it
/// (docs/aria2.md).
///
/// Names, defaults and ranges are those of aria2 1.37.
package struct Aria2Option: Sendable {
    package enum Kind: Sendable {
        /// `true` or `false`.
        case flag
        case number(ClosedRange<Int64>)
        /// A size in bytes; K and M stand for 1024 and 1024².
        case size(ClosedRange<Int64>)
        case decimal
        case word([String])
        case text
        /// An option that may be given several times: lines of one text.
        case lines
        /// `ALGORITHM=HEX`.
        case checksum
    }

    /// The calls that take the option; others ignore it.
    package struct Calls: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// `addUri` and its like; `getOption` shows it.
        package static let adding = Calls(rawValue: 1)
        /// `changeOption`, while the download runs.
        package static let changing = Calls(rawValue: 2)
        /// `changeOption`; a download that runs starts again with it.
        package static let restarting = Calls(rawValue: 4)
        /// `changeGlobalOption`.
        package static let global = Calls(rawValue: 8)
        /// The option is reported by no call.
        package static let secret = Calls(rawValue: 16)

        static let each: Calls = [.adding, .restarting, .global]
        static let live: Calls = [.adding, .changing, .restarting, .global]
    }

    /// A value that the option does not take.
    package struct Problem: Error, Hashable {
        package let name: String

        /// aria2's own words, which clients look for.
        package var message: String { "We encountered a problem while processing the option '--\(name)'." }
    }

    package let name: String
    package let kind: Kind
    /// The default value; nil if there is none.
    package let initial: String?
    package let calls: Calls

    init(_ name: String, _ kind: Kind, _ initial: String? = nil, _ calls: Calls = []) {
        self.name = name
        self.kind = kind
        self.initial = initial
        self.calls = calls
    }

    /// Whether it may be given several times.
    package var isRepeated: Bool { if case .lines = kind { true } else { false } }

    /// The value as aria2 keeps it.
    package func value(of text: String) throws(Problem) -> String {
        switch kind {
        case .flag:
            if text.isEmpty, argument == .optional { return "true" }
            guard text.isExactly("true") || text.isExactly("false") else { throw Problem(name: name) }
            return text
        case .number(let range): return try number(Self.integer(text), range)
        case .size(let range): return try number(Self.size(text), range)
        case .decimal:
            guard let value = Double(text), value.isFinite, value >= 0 else { throw Problem(name: name) }
            return text
        case .word(let words):
            guard words.containsExactly(text) else { throw Problem(name: name) }
            return text
        case .text, .lines: return text
        case .checksum:
            let bytes = Array(text.utf8)
            guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), (try? OptionText.digest(text)) != nil else {
                throw Problem(name: name)
            }
            return String(decoding: bytes[..<sign].map(ASCII.lowercased) + bytes[sign...], as: UTF8.self)
        }
    }

    private func number(_ value: Int64?, _ range: ClosedRange<Int64>) throws(Problem) -> String {
        guard let value, range.contains(value) else { throw Problem(name: name) }
        return String(value)
    }

    private static func integer(_ text: some StringProtocol) -> Int64? { OptionText.wholeNumber(text) }

    private static func size(_ text: String) -> Int64? {
        let factor: Int64 =
            switch text.utf8.last {
            case UInt8(ascii: "k"), UInt8(ascii: "K"): 1 << 10
            case UInt8(ascii: "m"), UInt8(ascii: "M"): 1 << 20
            default: 1
            }
        let digits = String(decoding: text.utf8.dropLast(factor == 1 ? 0 : 1), as: UTF8.self)
        guard let number = integer(digits), case let (value, overflow) = number.multipliedReportingOverflow(by: factor),
            !overflow
        else { return nil }
        return value
    }

    // MARK: The table

    /// Returns the option with a name that is known to exist.
    package static func named(_ name: StaticString) -> Aria2Option { all[index(known: name)] }

    static func index(known name: StaticString) -> Int {
        // Proven: the names are literals of ours, and a test gives each option its own.
        guard let index = index(of: "\(name)") else { preconditionFailure("aria2 has no option \(name)") }
        return index
    }

    /// Returns the index of an option in ``all``; nil if aria2 does not have it.
    package static func index(of name: String) -> Int? { indices[ExactText(name)] }

    private static let indices = Dictionary(uniqueKeysWithValues: all.enumerated().map { (ExactText($1.name), $0) })
}
