/// Reads `--max-filesize`.
enum SizeLimit {
    /// - Parameter text: in bytes.
    static func parse(_ text: String) throws(UsageError) -> Int64 {
        do {
            return try UnitNumber.parse(text)
        } catch {
            throw UsageError("--max-filesize takes a whole number of bytes, with k, M or G for powers of 1024: 700M, 4G.")
        }
    }
}
