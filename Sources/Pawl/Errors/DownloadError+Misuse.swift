import PawlCore

/// What a caller got wrong.
extension DownloadError {
    static func alreadyCompleted(_ name: String) -> DownloadError {
        DownloadError(
            .alreadyCompleted, "“\(name)” is already complete. There is nothing to pause or resume.", recovery: .giveUp)
    }

    static func unknown(_ id: DownloadID) -> DownloadError {
        DownloadError(.unknownDownload, "There is no download with the id \(id).", recovery: .giveUp)
    }
}
