/// Reads `--timeout` and `--max-time`.
enum TimeLimit {
    /// The longest that makes sense, and far from what would overflow: ten years.
    private static let longestSeconds: Int64 = 10 * 366 * 86_400

    /// - Parameters:
    ///   - text: a whole number of seconds above zero, or one with `s`, `m`, `h` or `d`.
    ///   - option: what it was given for.
    static func parse(_ text: String, of option: String) throws(UsageError) -> Duration {
        var digits = text[...]
        var factor: Int64 = 1
        switch digits.last {
        case "s": digits.removeLast()
        case "m": (factor, _) = (60, digits.removeLast())
        case "h": (factor, _) = (3600, digits.removeLast())
        case "d": (factor, _) = (86_400, digits.removeLast())
        default: break
        }
        // `Int64` itself would take a sign.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(digits), case let (seconds, overflow) = number.multipliedReportingOverflow(by: factor), !overflow,
            (1...longestSeconds).contains(seconds)
        else { throw UsageError("\(option) takes a whole number of seconds above zero, or a number with s, m, h or d: 30, 90s, 5m, 2h.") }
        return .seconds(seconds)
    }
}
