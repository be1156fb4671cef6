/// A whole number with a unit: `k`, `M` or `G`, in either case, multiply by a power of 1024.
enum UnitNumber {
    enum Problem: Error {
        case malformed
        case tooLarge
    }

    static func parse(_ text: String) throws(Problem) -> Int64 {
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
            throw .malformed
        }
        guard let number = Int64(digits), case let (product, overflow) = number.multipliedReportingOverflow(by: factor),
            !overflow
        else { throw .tooLarge }
        return product
    }
}
