/// Reads `--max-speed`.
enum SpeedLimit {
    /// - Parameter text: in bytes per second, above zero.
    static func parse(_ text: String) throws(UsageError) -> Int64 {
        do {
            let limit = try UnitNumber.parse(text)
            guard limit > 0 else { throw UnitNumber.Problem.malformed }
            return limit
        } catch UnitNumber.Problem.tooLarge {
            throw UsageError("The speed limit is too large. " + accepted)
        } catch {
            throw UsageError(accepted)
        }
    }

    private static let accepted =
        "--max-speed takes a whole number of bytes per second above zero, with k, M or G for powers of 1024: 500k, 2M."
}
