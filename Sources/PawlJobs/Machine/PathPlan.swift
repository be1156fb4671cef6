import Pawl
import PawlCore
import PawlEngine

/// The paths of the files of a run of which some go into directories of their own, named by a document or after their
/// URLs: a path cannot be both a file and a directory.
///
/// The order of the list decides, by the names that are known before any server answers: else whatever came to the disk
/// first would.
struct PathPlan: Sendable {
    private var files: Set<ExactText> = []
    private var directories: Set<ExactText> = []

    static func refusals(of files: JobFiles) -> [JobFileID: DownloadError] {
        guard files.areNested else { return [:] }
        var (plan, refusals) = (PathPlan(), [JobFileID: DownloadError]())
        for (index, file) in files.enumerated() { refusals[JobFileID(index + 1)] = plan.add(file) }
        return refusals
    }

    /// Whether an earlier file needs the path for a directory.
    func isDirectory(_ path: String) -> Bool { directories.contains(ExactText(path)) }

    /// Adds a file behind those in front of it.
    ///
    /// - Returns: why it cannot have its path; then it is not added.
    mutating func add(_ file: JobFile) -> DownloadError? {
        let path = file.likelyPath
        let above = file.nesting?.paths ?? []
        if let taken = above.first(where: { files.contains(ExactText($0)) }) {
            return Self.clash("“\(taken)” is the file of another URL, so it cannot be a directory for “\(path)”.")
        }
        // Another name can be had for a file, and not for a directory.
        if file.spec.ifExists != .rename, isDirectory(path) {
            return Self.clash("“\(path)” is a directory for the file of another URL, so no file can have that name.")
        }
        files.insert(ExactText(path))
        directories.formUnion(above.map { ExactText($0) })
        return nil
    }

    private static func clash(_ message: String) -> DownloadError {
        DownloadError(.fileExists, message, remedies: [.chooseName], recovery: .giveUp)
    }
}

extension JobFile.Nesting {
    /// The paths of the directories, topmost first.
    fileprivate var paths: [String] {
        names.indices.map { FileTarget.path(in: directory, names[...$0].joined(separator: "/")) }
    }
}
