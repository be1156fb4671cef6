import PawlCore

/// Another download has the target.
extension DownloadError {
    /// - Parameters:
    ///   - url: of that download, redacted.
    ///   - isSame: it is the same request but for what it checks and allows.
    static func taken(wanted: String, by url: String, isSame: Bool, recovery: Recovery) -> DownloadError {
        let reason =
            isSame
            ? "is being downloaded already with other checks or limits (\(url)). Ask for the same ones, wait for that download,"
                + " or choose another name."
            : "is the target of another download (\(url)). Choose another name."
        return DownloadError(.locked, "“\(wanted)” \(reason)", recovery: recovery)
    }

    /// - Parameter isSame: as above.
    static func taken(wanted: String, by holder: QueueEntry, isSame: Bool = false) -> DownloadError {
        let url = (try? HTTPURL(parsing: holder.url))?.redacted ?? "?"
        guard holder.lacksSecrets else { return taken(wanted: wanted, by: url, isSame: isSame, recovery: .giveUp) }
        return DownloadError(
            .locked,
            "“\(wanted)” is the target of a download that waits for its full URL and credentials (\(url))."
                + " Add that one with exactly those, remove it, or choose another name.",
            recovery: .giveUp)
    }
}
