import PawlCore

extension DownloadError {
    /// The system has no thread left. Nothing was begun.
    package static let tooFewThreads = DownloadError(
        .tooFewThreads,
        "Cannot start a thread: this user or container has reached its limit of processes and threads, or this process its limit of memory.",
        remedies: [.allowMoreProcesses], recovery: .retryAfter(nil))
}

/// Errors in the caller's use of the library.
extension DownloadError {
    static func alreadyCompleted(_ name: String) -> DownloadError {
        DownloadError(
            .alreadyCompleted, "“\(name)” is already complete. There is nothing to pause or resume.", recovery: .giveUp)
    }

    static func unknown(_ id: DownloadID) -> DownloadError {
        DownloadError(.unknownDownload, "There is no download with the id \(id).", recovery: .giveUp)
    }
}
