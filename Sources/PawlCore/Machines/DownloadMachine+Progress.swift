extension DownloadMachine {
    /// The state as a user sees it.
    package func progress(at now: Instant) -> DownloadProgress {
        let live = segments.filter { $0.isLive && !$0.isProbe }
        let rate = live.reduce(0) { $0 + $1.meter.bytesPerSecond }
        let count = written.count
        var secondsLeft: Double?
        let wanted = wantedCount
        // The rate of the first moments is that of a burst.
        let isMeasured = count > 0 && live.contains { now - $0.meter.began >= .seconds(1) }
        if let wanted, rate > 0, isMeasured { secondsLeft = Double(max(0, wanted - count)) / rate }
        var progress = DownloadProgress(
            state: state(isWaiting: live.isEmpty, at: now), bytesStored: count, bytesDurable: durable.count,
            totalBytes: wanted,
            bytesPerSecond: rate, secondsLeft: secondsLeft,
            connections: live.map {
                .init(
                    id: $0.id.number, position: $0.position, end: $0.end, bytesPerSecond: $0.meter.bytesPerSecond,
                    host: $0.url.host)
            },
            storedRanges: written.ranges)
        progress.canResume = representation == nil || isCombinable && !sources[sources.lead].file.rangeSupport.isIgnored
        return progress
    }

    private func state(isWaiting: Bool, at now: Instant) -> DownloadState {
        switch phase {
        case .idle: .queued
        case .fetching:
            wait(isWaiting: isWaiting, at: now).map { .waiting($0) }
                ?? .running(representation == nil ? .probing : .downloading)
        case .refreshing: .waiting(.freshURL)
        case .draining, .saving, .settingAside: .running(.downloading)
        case .verifying: .running(.verifying)
        case .finishing, .quarantining: .running(.finishing)
        case .paused: .paused
        case .cancelled: .cancelled
        case .completed: .completed
        case .failed(let error): .failed(error)
        }
    }

    private func wait(isWaiting: Bool, at now: Instant) -> DownloadState.Wait? {
        if let pause = clock.pause { return .timetable(pause) }
        if isAwaitingPermit, let url = segments.first(where: { $0.state == .awaitingPermit })?.url {
            return .hostLimit(host: url.host)
        }
        guard isWaiting, let nextStart, nextStart > now, let lastProblem else { return nil }
        let seconds = (nextStart - now).inSeconds
        return sources.contains(where: \.retry.isAwaitingNetwork)
            ? .network(seconds: seconds, reason: lastProblem.message)
            : .backOff(seconds: seconds, reason: lastProblem.message)
    }
}
