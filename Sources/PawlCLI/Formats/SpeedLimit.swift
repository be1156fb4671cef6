import Pawl
import PawlCore

/// Reads `--max-speed`.
enum SpeedLimit {
    /// - Parameter text: in bytes per second, above zero.
    static func parse(_ text: String) throws(UsageError) -> Int64 {
        do throws(ByteQuantity.Problem) {
            let limit = try ByteQuantity.parse(text)
            guard limit > 0 else { throw ByteQuantity.Problem.malformed }
            return limit
        } catch {
            throw UsageError((error == .tooLarge ? "The speed limit is too large. " : "") + accepted)
        }
    }

    private static let accepted = "--max-speed takes \(ByteQuantity.accepted), per second and above zero: 500k, 2MB."
}
