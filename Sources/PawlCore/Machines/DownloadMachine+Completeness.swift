extension DownloadMachine {
    /// L24: the answer ended with its connection, nothing will tell whether bytes are missing, and the caller wants no
    /// such file. Its length stays unknown, so that no later run takes what came for the whole.
    func objection(toEndOf segment: SegmentMachine) -> DownloadError? {
        guard settings.requiresComplete, !isComplete, !settings.isCheckedByCaller else { return nil }
        return .incomplete(segment.url)
    }

    /// Whether everything requested is held once its last byte is stored: framing or digests proved the end, or all of
    /// it lies before the end.
    var isComplete: Bool { attempt.framingShowedEnd || isVerified || holdsAllParts }

    private var holdsAllParts: Bool {
        settings.ranges?.withoutTotal.map { $0.wanted.subtracting(written).isEmpty } ?? false
    }

    /// A digest of the finished file, or of each of its pieces, is compared before it gets its name.
    var isVerified: Bool { attempt.pieces != nil || !digestsOfResult.isEmpty }
}

extension DownloadError {
    static func incomplete(_ url: HTTPURL) -> DownloadError {
        DownloadError(
            .incomplete,
            "\(url.redacted) may be incomplete: the connection ended, and the server gave neither a length nor a clear end.",
            remedies: [.giveDigest, .acceptIncomplete], recovery: .giveUp, facts: .init(host: url.host))
    }
}
