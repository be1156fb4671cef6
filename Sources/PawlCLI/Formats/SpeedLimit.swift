/// Reads `--max-speed`.
enum SpeedLimit {
    /// - Parameter text: a whole number above zero, in bytes per second; `k`, `M` or `G`, in either case, multiply by a power of 1024.
    static func parse(_ text: String) throws(UsageError) -> Int64 {
        var digits = text[...]
        var factor: Int64 = 1
        switch digits.last {
        case "k", "K": factor = 1 << 10
        case "m", "M": factor = 1 << 20
        case "g", "G": factor = 1 << 30
        default: break
        }
        if factor > 1 { digits.removeLast() }
        // `Int64` itself would take a sign.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw refusal
        }
        guard let number = Int64(digits), case let (limit, overflow) = number.multipliedReportingOverflow(by: factor),
            !overflow
        else { throw UsageError("The speed limit is too large. " + accepted) }
        guard limit > 0 else { throw refusal }
        return limit
    }

    private static let accepted =
        "--max-speed takes a whole number of bytes per second above zero, with k, M or G for powers of 1024: 500k, 2M."
    private static let refusal = UsageError(accepted)
}
