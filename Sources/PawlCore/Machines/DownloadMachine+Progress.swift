extension DownloadMachine {
    /// The state as a user sees it.
    package func progress(at now: Instant) -> DownloadProgress {
        let live = segments.filter(\.isLive)
        let rate = live.reduce(0) { $0 + $1.bytesPerSecond }
        let count = written.count
        var secondsLeft: Double?
        if let total, rate > 0 { secondsLeft = Double(max(0, total - count)) / rate }
        return DownloadProgress(
            state: publicState(at: now), bytesStored: count, bytesDurable: durable.count, totalBytes: total,
            bytesPerSecond: rate, secondsLeft: secondsLeft,
            connections: live.map {
                .init(id: $0.id.number, position: $0.position, end: $0.end, bytesPerSecond: $0.bytesPerSecond)
            },
            storedRanges: written.ranges)
    }

    private func publicState(at now: Instant) -> DownloadProgress.State {
        switch phase {
        case .idle: .queued
        case .fetching:
            if liveCount == 0, let nextStart, nextStart > now, let lastProblem {
                .waiting(seconds: (nextStart - now).inSeconds, reason: lastProblem.message)
            } else {
                representation == nil ? .probing : .downloading
            }
        case .refreshing: .waiting(seconds: 0, reason: "The link has expired; a fresh one is being fetched.")
        case .draining, .saving, .settingAside: .downloading
        case .verifying: .verifying
        case .finishing, .condemning: .finishing
        case .paused: .paused
        case .cancelled: .cancelled
        case .completed: .completed
        case .failed(let error): .failed(error)
        }
    }
}
