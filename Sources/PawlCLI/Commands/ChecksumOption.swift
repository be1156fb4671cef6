import Pawl
import PawlCore

enum ChecksumOption {
    static func parse(_ text: String) throws(UsageError) -> Digest {
        do throws(DigestParseError) {
            return try Digest(parsing: text)
        } catch {
            throw UsageError(error.message)
        }
    }
}
