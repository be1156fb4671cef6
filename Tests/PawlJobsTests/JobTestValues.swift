import PawlArchive
import PawlCore

@testable import Pawl
@testable import PawlJobs

extension DownloadResult {
    /// The result for a file, with neutral values for all other fields.
    static func file(_ path: String, existed: Bool, isVerified: Bool = false, isComplete: Bool = true) -> DownloadResult
    {
        var facts = FinishedFacts(fileName: path, byteCount: 0, finalURL: "")
        (facts.isComplete, facts.isVerified, facts.skipReason) = (isComplete, isVerified, existed ? .exists : nil)
        return DownloadResult(facts, in: "")
    }
}

extension FetchedFile {
    init(
        target: FileTarget, path: String, existed: Bool, isVerified: Bool, isComplete: Bool = true,
        mark: UnpackedMark? = nil
    ) {
        self.init(
            target: target, result: .file(path, existed: existed, isVerified: isVerified, isComplete: isComplete),
            mark: mark)
    }
}

extension UnpackedFile {
    init(_ target: FileTarget, isSkipped: Bool = false) {
        self.init(
            target: target,
            result: ExtractionResult(directory: target.name?.text ?? "", members: 1, bytes: 1, isSkipped: isSkipped))
    }
}

extension JobMachineEvent {
    /// The files of a job in `/d`; two that share URL and name are one.
    static func found(
        index: Int, _ files: [JobFile], notices: [String] = [], unused: Set<String> = []
    ) -> JobMachineEvent {
        let prepared = files.map {
            PreparedFile(
                $0, identity: Array($0.url.utf8), target: FileTarget(directory: "/d", name: $0.spec.fileName))
        }
        return .resolved(index: index, prepared, notices: notices, unused: unused)
    }
}
