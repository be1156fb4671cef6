/// Fetching only a file that is newer than the target.
extension DownloadMachine {
    /// The conditions of the first request. A signature may cover the header fields, so signed URLs get no condition;
    /// their answer is compared instead.
    func newnessFields(for segment: SegmentMachine) -> [HTTPField] {
        guard representation == nil, let version = settings.targetVersion, !segment.url.isSigned else { return [] }
        return version.fields
    }

    /// Skips the download if the response is a 304 to a conditional request; nil if the response is no 304, or no
    /// condition was sent.
    mutating func answerNotModified(_ id: ExchangeID, _ head: ResponseHead) -> [DownloadAction]? {
        guard head.status == 304, let index = index(of: id), !newnessFields(for: segments[index]).isEmpty else {
            return nil
        }
        return skip(.notNewer)
    }

    /// Ends the run without a download, as requested. The driver reports it, once the existing file has been compared
    /// with its digest.
    mutating func skip(_ reason: SkipReason) -> [DownloadAction] {
        phase = .completed(Outcome(isComplete: false, isVerified: false, skipReason: reason))
        return segments.map { .cancel($0.id) } + abandon()
    }
}

extension DownloadMachine.Phase {
    package var isSkipped: Bool {
        if case .completed(let outcome) = self { outcome.isSkipped } else { false }
    }
}
