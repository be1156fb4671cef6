/// Reads a number of bytes with its unit, as people give sizes and rates.
///
/// `k`, `M`, `G` and `T`, in either case, with or without `iB`, multiply by powers of 1024; `kB`, `MB`, `GB` and `TB`
/// by powers of 1000; a number alone and one with `B` are bytes. A fraction is allowed with a unit: `1.5M`.
public enum ByteQuantity {
    /// The reason why a text is not a number of bytes.
    public enum Problem: Error, Hashable, Sendable {
        case malformed
        /// The number is larger than a 64-bit number holds.
        case tooLarge
    }

    /// Accepted forms, for a message.
    public static let accepted =
        "a number of bytes, with k, M or G for powers of 1024 or kB, MB or GB for powers of 1000"

    public static func parse(_ text: String) throws(Problem) -> Int64 {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let factor = factor(of: text.dropFirst(digits.count)) else { throw .malformed }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.count <= 2, parts.count == 1 || factor > 1 else {
            throw .malformed
        }
        guard let number = Int64(whole) else { throw .tooLarge }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw .tooLarge }
        guard parts.count == 2 else { return product }
        let (sum, carry) = product.addingReportingOverflow(try fraction(parts[1], of: factor))
        guard !carry else { throw .tooLarge }
        return sum
    }

    /// Returns the bytes of a fraction of at most nine digits; less than a byte is dropped.
    private static func fraction(_ digits: Substring, of factor: Int64) throws(Problem) -> Int64 {
        guard (1...9).contains(digits.count), let number = Int64(digits) else { throw .malformed }
        let scale = (0..<digits.count).reduce(Int64(1)) { product, _ in product * 10 }
        let (high, low) = number.multipliedFullWidth(by: factor)
        // Proven: the number is less than the scale, so the quotient is less than the factor.
        return scale.dividingFullWidth((high, low)).quotient
    }

    private static func factor(of unit: Substring) -> Int64? {
        switch unit {
        case "", "B", "b": 1
        case "kB", "KB": 1000
        case "MB": 1_000_000
        case "GB": 1_000_000_000
        case "TB": 1_000_000_000_000
        case "k", "K", "kiB", "KiB": 1 << 10
        case "m", "M", "MiB": 1 << 20
        case "g", "G", "GiB": 1 << 30
        case "t", "T", "TiB": 1 << 40
        default: nil
        }
    }
}
