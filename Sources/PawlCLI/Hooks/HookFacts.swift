import Pawl
import PawlArchive
import PawlCore

/// What a program that runs after a download is told, by environment variables (docs/hooks.md).
struct HookFacts: Hashable, Sendable {
    var variables: [String: String]
    /// Those that are absolute paths, in bytes: the working directory may have any name.
    private(set) var paths: [String: [UInt8]] = [:]

    /// - Parameters:
    ///   - id: which download of this run it was.
    ///   - url: redacted.
    ///   - digest: that was asked for.
    ///   - workingDirectory: for paths that are relative to it.
    /// - Returns: nil for a download that was stopped: it has neither completed nor failed, and is gone on with later.
    init?(_ ending: GetEnding, id: String, url: String, digest: Digest?, workingDirectory: [UInt8]) {
        variables = ["PAWL_ID": id, "PAWL_URL": url]
        switch ending {
        case .completed(let result):
            variables["PAWL_STATUS"] = "completed"
            paths["PAWL_FILE"] = Self.absolute(result.path, workingDirectory)
            variables["PAWL_BYTES"] = String(result.byteCount)
            variables["PAWL_COMPLETE"] = result.isComplete ? "yes" : "no"
            variables["PAWL_VERIFIED"] = result.isVerified ? "yes" : "no"
            variables["PAWL_SKIPPED"] = result.wasSkipped ? "yes" : "no"
            if result.isVerified, let digest { variables["PAWL_DIGEST"] = digest.description }
        case .failed(let error): tell(error.code.rawValue, ending)
        case .archiveFailed(let error): tell(error.code.rawValue, ending)
        case .stopped:
            return nil
        }
    }

    private mutating func tell(_ code: String, _ ending: GetEnding) {
        variables["PAWL_STATUS"] = "failed"
        variables["PAWL_ERROR"] = ending.message
        variables["PAWL_CODE"] = code
        variables["PAWL_EXIT_CODE"] = String(ending.exitCode.rawValue)
    }

    /// What `--extract` has made of it.
    mutating func add(_ unpacking: UnpackingEnding, workingDirectory: [UInt8]) {
        switch unpacking {
        case .unpacked(let result):
            variables["PAWL_EXTRACTED"] = result.isSkipped ? "no" : "yes"
            paths["PAWL_DIRECTORY"] = Self.absolute(result.directory, workingDirectory)
        case .failed(let error):
            variables["PAWL_EXTRACTED"] = "no"
            variables["PAWL_ERROR"] = error.words
            variables["PAWL_CODE"] = error.code.rawValue
            variables["PAWL_EXIT_CODE"] = String(ExitCode.notUnpacked.rawValue)
        case .stopped: break
        }
    }

    private static func absolute(_ path: String, _ workingDirectory: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        if path.utf8.first == slash { return Array(path.utf8) }
        return workingDirectory + (workingDirectory == [slash] ? [] : [slash]) + path.utf8
    }

    /// For the program: what this one was started with, byte for byte, but for what it was told of another download.
    func environment(inheriting inherited: [[UInt8]]) -> [[UInt8]] {
        let equals = UInt8(ascii: "=")
        let others = inherited.filter { !Self.names.contains(String(decoding: $0.prefix { $0 != equals }, as: UTF8.self)) }
        let own = paths.merging(variables.mapValues { Array($0.utf8) }) { $1 }
        // A zero ends a text there; nothing after it would arrive.
        return others + own.sorted { $0.key < $1.key }.map { Array($0.utf8) + [equals] + $1.filter { $0 != 0 } }
    }

    private static let names: Set = [
        "PAWL_ID", "PAWL_URL", "PAWL_STATUS", "PAWL_FILE", "PAWL_BYTES", "PAWL_COMPLETE", "PAWL_VERIFIED", "PAWL_SKIPPED", "PAWL_DIGEST",
        "PAWL_ERROR", "PAWL_CODE", "PAWL_EXIT_CODE", "PAWL_EXTRACTED", "PAWL_DIRECTORY",
    ]
}
