import Pawl
import PawlCore

extension DownloadOptions {
    /// The options with their names in JSON: in version 1, and since.
    private static let named = all.map { (option: $0, former: DownloadOption.jsonName($0.name), name: $0.jsonName) }

    /// The latest version of which this has a name.
    var jsonVersion: Int {
        Self.named.contains { $0.former != $0.name && !$0.option.texts(self).isEmpty } ? 2 : 1
    }

    /// The options that differ from the default, each by its name.
    func jsonValue(version: Int) -> JSONValue {
        var object = JSONObjectWriter()
        for (option, former, name) in Self.named {
            let texts = option.texts(self)
            guard let text = texts.first else { continue }
            object.add(
                version == 1 ? former : name, option.kind == .list ? .strings(texts) : option.jsonValue(of: text))
        }
        return object.value
    }

    init(jsonValue: JSONValue) throws(JobSpecError) {
        self.init()
        var object = try JobObject(jsonValue, "options")
        for (option, former, name) in Self.named {
            guard let value = try object.value(name, formerly: former) else { continue }
            for text in try option.texts(of: value) where !option.take(text, &self) {
                throw JobSpecError(.invalidValue, ["options." + name], "“options.\(name)” cannot have this value.")
            }
        }
        try object.finish()
    }
}

extension DownloadOption {
    /// `maxSpeed` for `max-speed`.
    static func jsonName(_ word: String) -> String {
        let words = word.split(separator: "-")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    var jsonName: String { Self.jsonName(word) }

    fileprivate func jsonValue(of text: String) -> JSONValue {
        switch kind {
        case .flag: .boolean(text == "true")
        case .integer: Int64(text).map { .integer($0) } ?? .string(text)
        case .duration: Int64(text).map { .seconds(nanoseconds: $0) } ?? .string(text)
        case .text, .list: .string(text)
        }
    }

    /// Returns the texts of a JSON value as the option takes them.
    fileprivate func texts(of value: JSONValue) throws(JobSpecError) -> [String] {
        switch (kind, value) {
        case (.flag, .boolean(let flag)): return ["\(flag)"]
        case (.integer, .integer(let number)): return ["\(number)"]
        case (.duration, .integer), (.duration, .decimal):
            if let nanoseconds = value.nanoseconds { return ["\(nanoseconds)"] }
        case (.text, .string(let text)): return [text]
        case (.list, _): if let texts = value.texts { return texts }
        default: break
        }
        throw JobSpecError(.invalidValue, ["options." + jsonName], "“options.\(jsonName)” must be \(kind.meaning).")
    }
}

extension DownloadOption.Kind {
    fileprivate var meaning: String {
        switch self {
        case .flag: "true or false"
        case .integer: "a whole number"
        case .duration: "a number of seconds"
        case .text: "a string"
        case .list: "a list of strings"
        }
    }
}

extension JSONValue {
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// A number of seconds, with as many digits behind the point as are needed.
    static func seconds(nanoseconds: Int64) -> JSONValue {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
        guard rest != 0 else { return .integer(seconds) }
        var digits = String(rest.magnitude)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return .decimal("\(nanoseconds < 0 ? "-" : "")\(seconds.magnitude).\(digits)")
    }

    /// The inverse. Nil where it cannot be said in nanoseconds.
    var nanoseconds: Int64? {
        switch self {
        case .integer(let seconds):
            let (product, overflow) = seconds.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
            return overflow ? nil : product
        case .decimal(let text):
            guard let seconds = Double(text) else { return nil }
            let digits = text.utf8.split(separator: UInt8(ascii: "."))
            // Exact as far as possible: 1.5 is 1,500,000,000 nanoseconds and not nearly so.
            if digits.count == 2, digits[1].count <= 9,
                let whole = Int64(digits[0].isEmpty ? "" : String(Substring(digits[0]))),
                let rest = Int64(String(Substring(digits[1])) + String(repeating: "0", count: 9 - digits[1].count))
            {
                let (product, overflow) = whole.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
                guard !overflow else { return nil }
                let (sum, isTooMuch) = product.addingReportingOverflow(
                    text.utf8.first == UInt8(ascii: "-") ? -rest : rest)
                return isTooMuch ? nil : sum
            }
            return Int64(exactly: (seconds * Double(Self.nanosecondsPerSecond)).rounded())
        default: return nil
        }
    }
}
