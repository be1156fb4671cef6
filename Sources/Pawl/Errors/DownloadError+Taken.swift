import PawlCore

/// Errors for a target that another download has.
extension DownloadError {
    /// - Parameters:
    ///   - url: of that download, redacted.
    ///   - isSame: it is the same request but for what it checks and allows.
    static func taken(wanted: String, by url: String, isSame: Bool, recovery: Recovery) -> DownloadError {
        let reason =
            isSame
            ? "is already being downloaded with other checks or limits (\(url))."
            : "is the target of another download (\(url))."
        return DownloadError(
            .locked, "“\(wanted)” \(reason)", remedies: isSame ? [.waitForOther, .chooseName] : [.chooseName],
            recovery: recovery)
    }

    /// - Parameter isSame: as above.
    static func taken(wanted: String, by holder: QueueEntry, isSame: Bool = false) -> DownloadError {
        let url = holder.url.redacted
        guard holder.lacksSecrets else { return taken(wanted: wanted, by: url, isSame: isSame, recovery: .giveUp) }
        return DownloadError(
            .locked,
            "“\(wanted)” is the target of a download that is waiting for its full URL and credentials (\(url))."
                + " To resume it, add it with exactly the same ones.",
            remedies: [.chooseName], recovery: .giveUp)
    }

    /// Creates the error for a target held by a download that was removed and has not stopped yet.
    static func leaving(_ wanted: String) -> DownloadError {
        DownloadError(
            .locked, "“\(wanted)” is the target of a download that is still being removed.", remedies: [.tryAgain],
            recovery: .retryAfter(nil))
    }
}
