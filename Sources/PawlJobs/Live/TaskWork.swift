import Pawl
import PawlArchive
import PawlCore

/// Work in a task: stopping it cancels the task.
struct TaskWork: JobWork {
    private let task: Task<Void, Never>

    init(_ body: @escaping @Sendable () async -> Void) { task = Task { await body() } }

    func stop() { task.cancel() }
}

extension JobFailure {
    /// - Returns: nil for a cancellation.
    package init?(_ error: any Error) {
        switch error {
        case let error as DownloadError: self = .download(error)
        case let error as ArchiveError: self = .archive(error)
        case let error as JobFailure: self = error
        case is CancellationError: return nil
        default: self = .download(DownloadError(.badResponse, "\(error)", recovery: .giveUp))
        }
    }
}
