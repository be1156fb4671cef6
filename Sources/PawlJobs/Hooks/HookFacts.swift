import Pawl
import PawlArchive
import PawlCore

/// The environment variables for a program that runs after a download (docs/hooks.md).
package struct HookFacts: Hashable, Sendable {
    var variables: [String: String]
    /// The values that are absolute paths, in bytes: the working directory may have any name.
    private(set) var paths: [String: [UInt8]] = [:]

    /// - Parameters:
    ///   - words: for failures.
    ///   - workingDirectory: for paths that are relative to it.
    /// - Returns: nil for a file that was stopped: it has neither completed nor failed, and is gone on with later.
    init?(_ id: String, _ file: JobFile, _ outcome: JobOutcome, _ words: FailureWords, workingDirectory: [UInt8]) {
        variables = ["PAWL_ID": id, "PAWL_URL": (try? HTTPURL(parsing: file.url))?.redacted ?? ""]
        switch outcome {
        case .completed(let fetched, let unpacked):
            tell(fetched, file, workingDirectory)
            guard let unpacked else { return }
            variables["PAWL_EXTRACTED"] = unpacked.isSkipped ? "no" : "yes"
            paths["PAWL_DIRECTORY"] = Self.absolute(unpacked.result.directory, workingDirectory)
        case .failed(let step, let failure, let fetched):
            if let fetched {
                tell(fetched, file, workingDirectory)
                variables["PAWL_EXTRACTED"] = "no"
            } else {
                variables["PAWL_STATUS"] = "failed"
            }
            variables["PAWL_ERROR"] = words.message(failure)
            variables["PAWL_CODE"] = failure.code
            variables["PAWL_EXIT_CODE"] = String(words.exitCode(step, failure))
        case .stopped: return nil
        }
    }

    private mutating func tell(_ fetched: FetchedFile, _ file: JobFile, _ workingDirectory: [UInt8]) {
        let result = fetched.result
        variables["PAWL_STATUS"] = "completed"
        paths["PAWL_FILE"] = Self.absolute(result.path, workingDirectory)
        variables["PAWL_BYTES"] = String(result.byteCount)
        variables["PAWL_COMPLETE"] = result.isComplete ? "yes" : "no"
        variables["PAWL_VERIFIED"] = result.isVerified ? "yes" : "no"
        variables["PAWL_SKIPPED"] = result.wasSkipped ? "yes" : "no"
        variables["PAWL_DIGEST"] = result.digest?.description
    }

    private static func absolute(_ path: String, _ workingDirectory: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        if path.utf8.first == slash { return path.systemBytes }
        return workingDirectory + (workingDirectory == [slash] ? [] : [slash]) + path.systemBytes
    }

    /// The environment of this process, byte for byte, less what it was told of another download.
    func environment(inheriting inherited: [[UInt8]]) -> [[UInt8]] {
        let equals = UInt8(ascii: "=")
        let others = inherited.filter {
            !Self.names.contains(String(decoding: $0.prefix { $0 != equals }, as: UTF8.self))
        }
        let own = paths.merging(variables.mapValues(\.systemBytes)) { $1 }
        // A zero byte would end the text.
        return others + own.sorted { $0.key < $1.key }.map { Array($0.utf8) + [equals] + $1.filter { $0 != 0 } }
    }

    package static let names: Set = [
        "PAWL_ID", "PAWL_URL", "PAWL_STATUS", "PAWL_FILE", "PAWL_BYTES", "PAWL_COMPLETE", "PAWL_VERIFIED",
        "PAWL_SKIPPED", "PAWL_DIGEST",
        "PAWL_ERROR", "PAWL_CODE", "PAWL_EXIT_CODE", "PAWL_EXTRACTED", "PAWL_DIRECTORY",
    ]
}
