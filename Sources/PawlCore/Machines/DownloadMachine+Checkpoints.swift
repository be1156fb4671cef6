/// The choice of the written bytes that the journal claims, and when.
extension DownloadMachine {
    mutating func checkpointIfDue(at now: Instant) -> [DownloadAction] {
        if !written.isEmpty { attempt.checkpoints.noteFirstByte(at: now) }
        guard attempt.isSettled, !isStreaming, attempt.checkpoints.isDue(for: written, at: now) else { return [] }
        return checkpoint()
    }

    mutating func unsyncedCheckpointIfDue(at now: Instant) -> [DownloadAction] {
        guard attempt.isSettled, !isStreaming else { return [] }
        return attempt.checkpoints.nextUnsyncedCheckpoint(of: written, at: now).map { [.recordUnsynced($0)] } ?? []
    }

    mutating func checkpoint() -> [DownloadAction] {
        attempt.checkpoints.begin(claiming: written)
        // A file that is claimed becomes the partial file first.
        attempt.earlier.untouched = nil
        return [.checkpoint(written)]
    }

    mutating func checkpointed(took: Duration, at now: Instant) -> [DownloadAction] {
        attempt.checkpoints.ended(took: took, at: now)
        let drop = aside.drop(passedBy: durable.count)
        guard case .saving(let conclusion) = phase else { return drop }
        return drop + conclude(conclusion)
    }

    /// Fails the run. After a failed sync nothing since the last good checkpoint is believed, and no sync is tried
    /// again.
    mutating func storageFailed(_ error: DownloadError) -> [DownloadAction] {
        attempt.checkpoints.fail()
        attempt.pieces?.abandonCheck()
        attempt.written = durable
        switch phase {
        case .saving, .verifying, .finishing, .settingAside, .quarantining:
            phase = .failed(error)
            return [release]
        case .idle, .fetching, .refreshing, .draining:
            phase = .fetching
            return drain(for: .fail(error))
        case .paused, .cancelled, .completed, .failed: return []
        }
    }
}
