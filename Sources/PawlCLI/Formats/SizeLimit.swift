import Pawl
import PawlCore

/// Reads `--max-filesize`.
enum SizeLimit {
    /// - Parameter text: in bytes.
    static func parse(_ text: String) throws(UsageError) -> Int64 {
        do throws(ByteQuantity.Problem) {
            return try ByteQuantity.parse(text)
        } catch {
            throw UsageError("--max-filesize takes \(ByteQuantity.accepted): 700M, 4GB.")
        }
    }
}
