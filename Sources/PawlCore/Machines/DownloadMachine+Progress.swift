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
        let (state, cause) = publicState(isWaiting: live.isEmpty, at: now)
        var progress = DownloadProgress(
            state: state, bytesStored: count, bytesDurable: durable.count, totalBytes: wanted,
            bytesPerSecond: rate, secondsLeft: secondsLeft,
            connections: live.map {
                .init(
                    id: $0.id.number, position: $0.position, end: $0.end, bytesPerSecond: $0.meter.bytesPerSecond,
                    host: $0.url.host)
            },
            storedRanges: written.ranges)
        progress.waitCause = cause
        progress.canResume = representation == nil || isCombinable && !sources[sources.lead].file.rangeSupport.isIgnored
        return progress
    }

    private func publicState(
        isWaiting: Bool, at now: Instant
    ) -> (DownloadProgress.State, DownloadProgress.WaitCause?) {
        switch phase {
        case .idle: (.queued, nil)
        case .fetching:
            if let pause = clock.pause {
                (.waiting(seconds: 0, reason: pause.sentence), .timetable(pause))
            } else if isAwaitingPermit, let url = segments.first(where: { $0.state == .awaitingPermit })?.url {
                (.hostIsFull(url), .hostLimit)
            } else if isWaiting, let nextStart, nextStart > now, let lastProblem {
                (
                    .waiting(seconds: (nextStart - now).inSeconds, reason: lastProblem.message),
                    sources.contains(where: \.retry.isAwaitingNetwork) ? .network : .backOff
                )
            } else {
                (representation == nil ? .probing : .downloading, nil)
            }
        case .refreshing: (.waiting(seconds: 0, reason: "The link has expired; fetching a fresh one."), .freshURL)
        case .draining, .saving, .settingAside: (.downloading, nil)
        case .verifying: (.verifying, nil)
        case .finishing, .quarantining: (.finishing, nil)
        case .paused: (.paused, nil)
        case .cancelled: (.cancelled, nil)
        case .completed: (.completed, nil)
        case .failed(let error): (.failed(error), nil)
        }
    }
}
