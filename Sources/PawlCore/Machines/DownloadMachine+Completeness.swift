extension DownloadMachine {
    /// L24: the answer ended with its connection, nothing will tell whether bytes are missing, and the caller wants no
    /// such file. Its length stays unknown, so that no later run takes what came for the whole.
    func objection(toEndOf segment: SegmentMachine) -> DownloadError? {
        guard settings.requiresComplete, !framingShowedEnd, !isProvenByDigest else { return nil }
        return .incomplete(segment.url)
    }

    /// A digest of the finished file, or of each of its pieces, shows whether all of it is there.
    private var isProvenByDigest: Bool { pieces != nil || !digestsOfResult.isEmpty || settings.isCheckedByCaller }
}

extension DownloadError {
    static func incomplete(_ url: HTTPURL) -> DownloadError {
        DownloadError(
            .incomplete,
            "\(url.redacted) ended with its connection, and the server gave neither a length nor a clear end: bytes may be missing. Give a --checksum to prove that it is complete, or leave out --require-complete.",
            recovery: .giveUp)
    }
}
