/// Fetching only what is newer than what is there.
extension DownloadMachine {
    /// What the first request asks beside the range. A signature may cover the header fields, so signed URLs get no condition (FAULTS V18):
    /// their answer is looked at instead.
    func newnessFields(for segment: SegmentMachine) -> [HTTPField] {
        guard representation == nil, let version = settings.targetVersion, !segment.url.isSigned else { return [] }
        return version.fields
    }

    /// Nil: the answer is no 304, or one to a question that was not asked.
    mutating func answerNotModified(_ id: ExchangeID, _ head: ResponseHead) -> [DownloadAction]? {
        guard head.status == 304, let index = index(of: id), !newnessFields(for: segments[index]).isEmpty else { return nil }
        return skip(.notNewer)
    }

    /// Nothing is fetched, and that is what was wanted.
    mutating func skip(_ reason: SkipReason) -> [DownloadAction] {
        phase = .completed(Outcome(isComplete: false, isVerified: false, skipReason: reason))
        return segments.map { .cancel($0.id) } + [.report(.skipped(reason))] + abandon()
    }
}

extension DownloadMachine.Phase {
    package var isSkipped: Bool {
        if case .completed(let outcome) = self { outcome.isSkipped } else { false }
    }
}
