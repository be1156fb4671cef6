import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

enum ChecksumOption {
    static func parse(_ text: String) throws(UsageError) -> Digest {
        do throws(DigestParseError) {
            return try Digest(parsing: text)
        } catch {
            throw UsageError(error.message)
        }
    }
}

/// Digests from a list.
struct ChecksumFileOption: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Fail unless the file has the checksum that this list states (docs/metalink.md).",
            valueName: "file or url"), completion: .file())
    var checksumFile: String?

    func apply(to job: inout JobSpec) throws(UsageError) {
        try check(besides: job.options.digest != nil)
        job.digestList = checksumFile
    }

    func check(besides hasChecksum: Bool) throws(UsageError) {
        guard !hasChecksum || checksumFile == nil else {
            throw UsageError("--checksum and --checksum-file both say what the file hashes to; give one of them.")
        }
    }
}
