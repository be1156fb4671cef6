/// The choice of the downloads that start and of those that give way, and the steps that follow when one ends.
extension QueueMachine {
    // MARK: Beginning

    /// Fills the places that are free, and frees those of downloads that only wait.
    mutating func fill(at now: Instant) -> [QueueAction] {
        guard !isClosed else { return [] }
        var actions: [QueueAction] = []
        let most = max(limits.maximumRunning, limits.maximumSmallFiles)
        while placesTaken < limits.maximumRunning, placesTaken + hosts.extraCount < most, let next = hosts.next {
            actions += begin(next.slot, at: now)
        }
        while placesTaken + hosts.extraCount < limits.maximumSmallFiles, let next = hosts.nextExtra {
            actions += begin(next.slot, isExtra: true, at: now)
        }
        return actions + displaceIdle(at: now)
    }

    private var placesTaken: Int { runs.count - outliers.finishingCount - hosts.extraCount + surplusFinishing }

    /// The number of finishing downloads that are too many to run besides the others.
    private var surplusFinishing: Int {
        max(0, outliers.finishingCount - max(limits.maximumRunning, limits.maximumSmallFiles))
    }

    mutating func begin(_ slot: Int32, isExtra: Bool = false, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)], let host = hosts.number(of: entry.host) else { return [] }
        if let wait = obstacleOfDisk(entry) {
            set(slot, .waiting(.diskFull(wait)), at: now)
            if let disk = space.disk(of: entry.directory) { awaitRoom(entry.id, on: disk, at: now) }
            return [.changed(entry.id)]
        }
        set(slot, .running, at: now)
        hosts.began(host, isExtra: isExtra)
        pace(host, at: now) { $0.take($1, at: now) }
        var run = Run(began: now, host: host)
        run.isExtra = isExtra
        // What it needs is only known of one that was begun before, or whose size the caller knows. A directory is
        // looked at once in any case, to know what is on one disk with it.
        run.isMeasured = entry.missing.map { $0 > 0 } ?? false || space.disk(of: entry.directory) == nil
        runs[slot] = run
        return [
            .changed(entry.id),
            run.isMeasured ? .measure(entry.id, directory: entry.directory) : .start(entry.id),
        ]
    }

    private mutating func pace(_ host: Int32, at now: Instant, _ change: (inout RequestPace, RequestRate) -> Void) {
        guard let opening = hosts.pace(host, at: now, change) else { return }
        timers.insert(TimerKey(at: opening, kind: .host, number: Int64(host)))
    }

    /// Returns the number of tries that precede the next run.
    ///
    /// Where the host has not answered anybody for as many tries as a download has, one more is all that the next
    /// download makes.
    package func failuresBefore(_ id: DownloadID) -> Int {
        guard let entry = self[id], let host = hosts.number(of: entry.host) else { return 0 }
        let most = RetryPolicy().maximumTriesWithoutProgress
        let before = hosts.failures(of: host) >= most ? most - 1 : Int(entry.failures)
        return min(before, most - 1)
    }

    /// Whether bytes have come from the host of a download.
    package func hasHostServed(_ id: DownloadID) -> Bool {
        self[id].flatMap { hosts.number(of: $0.host) }.map(hosts.hasServed) ?? false
    }

    // MARK: Giving way

    mutating func heard(_ slot: Int32, _ news: QueueNews, at now: Instant) -> [QueueAction] {
        guard let run = runs[slot], let id = entries[Int(slot)]?.id else { return [] }
        setFinishing(news == .finishes, slot)
        if news == .finishes { countSmall(slot, at: now) }
        switch news {
        case .works, .finishes:
            outliers.idle[slot] = nil
            entries[Int(slot)]?.failures = 0
            entries[Int(slot)]?.ranBefore = false
            if !run.usesMirrors { hosts.works(run.host) }
            if news == .finishes { return [] }
        // Another one in its place would wait, too.
        case .paused, .asks: outliers.idle[slot] = nil
        case .awaitingPermit where mayGiveWay(run):
            // The gate knows the limit of the host from an earlier run, or of another kind.
            let borne = hosts.running(run.host) - 1
            hosts.updateBudget(run.host) { if borne > 0 { $0.refused(borne: borne, at: now) } else { $0.reset() } }
            return stop(slot, then: .requeue)
        case .awaitingPermit:
            outliers.idle[slot] = .init(news: news, since: now)
            // Looked at again then, though nothing else may happen.
            timers.insert(TimerKey(at: now + limits.maximumIdleTime, kind: .entry, number: Int64(slot)))
        case .backsOff(let until, let failures, let error, let isHostDown):
            outliers.idle[slot] = .init(news: news, since: now)
            entries[Int(slot)]?.failures = Int32(clamping: failures)
            // A file that fails again and again says nothing about its host.
            if failures <= 1, !run.usesMirrors { hosts.updateBudget(run.host) { $0.refused(borne: nil, at: now) } }
            if isHostDown, !run.usesMirrors { noteFailure(run.host, until: until) }
            // An extra download would ask again at the same moment as the others.
            if mayGiveWay(run) { return [.changed(id)] + stop(slot, then: .wait(.backOff(until: until, error))) }
        case .moved(let host): moved(slot, to: host)
        case .usesMirrors:
            runs[slot]?.usesMirrors = true
            return []
        }
        return [.changed(id)]
    }

    /// Whether a running download may be sent back to the queue, because it is only an extra one.
    private func mayGiveWay(_ run: Run) -> Bool { run.isExtra && !run.isStopping && !isClosed }

    /// Sets whether a download is finishing. One that has to fetch more after all takes its place again.
    private mutating func setFinishing(_ isFinishing: Bool, _ slot: Int32) {
        guard let run = runs[slot], run.isFinishing != isFinishing else { return }
        runs[slot]?.isFinishing = isFinishing
        outliers.finishingCount += isFinishing ? 1 : -1
        if isFinishing {
            hosts.ended(run.host, isExtra: run.isExtra)
        } else {
            hosts.began(run.host, isExtra: run.isExtra)
        }
    }

    /// Notes how long a small file took.
    private mutating func countSmall(_ slot: Int32, at now: Instant) {
        guard limits.smallFilesPerHost > 0, let run = runs[slot], !run.isCounted, !run.usesMirrors else { return }
        runs[slot]?.isCounted = true
        hosts.updateBudget(run.host) { $0.fetched(in: now - run.began, at: now) }
    }

    /// Notes that files of this host are not all small. An extra one that is large gets a place like others, or waits
    /// for one.
    private mutating func foundLarge(_ slot: Int32) -> [QueueAction] {
        guard limits.smallFilesPerHost > 0, let run = runs[slot], !run.isCounted else { return [] }
        runs[slot]?.isCounted = true
        hosts.updateBudget(run.host) { $0.reset() }
        guard mayGiveWay(run) else { return [] }
        guard placesTaken < limits.maximumRunning, hosts.hasRoom(run.host) else { return stop(slot, then: .requeue) }
        hosts.ended(run.host, isExtra: true)
        hosts.began(run.host, isExtra: false)
        runs[slot]?.isExtra = false
        return []
    }

    private mutating func noteFailure(_ host: Int32, until: Instant) {
        hosts.failed(host)
        // The next download would fail as well.
        if hosts.isSuspect(host) { rest(host, until: until) }
    }

    private mutating func rest(_ host: Int32, until: Instant) {
        if hosts.rest(host, until: until) {
            timers.insert(TimerKey(at: until, kind: .host, number: Int64(host)))
        }
    }

    mutating func hostBusy(_ host: String, until: Instant, at now: Instant) -> [QueueAction] {
        guard until > now, let number = hosts.number(of: host) else { return [] }
        // N24: in a queue that begins nothing again, the others fail at once as the first one did, instead of waiting
        // for hours.
        guard limits.maximumRetries > 0 || until - now <= limits.retry.maximumRetryAfter else { return [] }
        rest(number, until: until)
        return []
    }

    /// Counts a running download for the host that its bytes come from.
    private mutating func moved(_ slot: Int32, to name: String) {
        guard let run = runs[slot], let entry = entries[Int(slot)], entry.host != name else { return }
        let host = hosts.enter(name)
        hosts.ended(run.host, isExtra: run.isExtra)
        hosts.leave(run.host)
        hosts.began(host, isExtra: run.isExtra)
        entries[Int(slot)]?.host = name
        runs[slot]?.host = host
    }

    /// Stops a download that has waited for long while another could run; it comes back in its turn.
    private mutating func displaceIdle(at now: Instant) -> [QueueAction] {
        guard !outliers.idle.isEmpty else { return [] }
        var wanted = min(hosts.readyCount, runs.count) - runs.values.count { $0.isStopping }
        var actions: [QueueAction] = []
        for slot in outliers.idle.keys.sorted() where wanted > 0 {
            guard let run = runs[slot], !run.isStopping, let idle = outliers.idle[slot] else { continue }
            switch idle.news {
            case .awaitingPermit:
                guard now - idle.since >= limits.maximumIdleTime else { continue }
                // First in order again, it would only take back the place that it gave.
                let busy = DownloadError.hostIsFull(entries[Int(slot)]?.host ?? "")
                actions += stop(slot, then: .wait(.backOff(until: now + limits.maximumIdleTime * 2, busy)))
            case .backsOff(let until, _, let error, _):
                guard until - now > limits.maximumIdleTime else { continue }
                actions += stop(slot, then: .wait(.backOff(until: until, error)))
            case .works, .finishes, .asks, .paused, .moved, .usesMirrors: continue
            }
            wanted -= 1
        }
        return actions
    }

    // MARK: How they do

    mutating func advanced(
        _ slot: Int32, _ total: Int64?, _ stored: Int64, _ unreserved: Int64, at now: Instant
    ) -> [QueueAction] {
        guard let entry = entries[Int(slot)], runs[slot] != nil else { return [] }
        if stored > entry.stored { entries[Int(slot)]?.retries = 0 }
        // It looked at its target and found it free: a file that is there later is not its own.
        if stored > 0 { entries[Int(slot)]?.ranBefore = false }
        entries[Int(slot)]?.total = total ?? -1
        entries[Int(slot)]?.stored = stored
        space.claim(unreserved, on: space.disk(of: entry.directory), for: entry.id)
        return entries[Int(slot)]?.isLarge == true ? foundLarge(slot) : []
    }

    mutating func named(_ slot: Int32, _ name: String) -> [QueueAction] {
        guard let entry = entries[Int(slot)], entry.fileName != name else { return [] }
        entries[Int(slot)]?.fileName = name
        return [.changed(entry.id)]
    }

    // MARK: Ending

    mutating func ended(_ slot: Int32, _ end: QueueEnd, at now: Instant) -> [QueueAction] {
        setFinishing(false, slot)
        if case .completed(let facts) = end, !facts.wasSkipped, facts.byteCount <= SmallFileBudget.largest {
            countSmall(slot, at: now)
        }
        outliers.idle[slot] = nil
        guard let run = runs.removeValue(forKey: slot), let entry = entries[Int(slot)] else { return [] }
        hosts.ended(run.host, isExtra: run.isExtra)
        // For a file that existed, nobody may have been asked.
        if case .completed(let facts) = end {
            if facts.skipReason != .exists {
                if !run.usesMirrors { hosts.works(run.host) }
            } else if facts.response == nil {
                pace(run.host, at: now) { $0.giveBack($1) }
            }
        }
        space.claim(nil, on: nil, for: entry.id)
        if case .remove(let deletesFiles) = run.intent {
            // Its file has its final name by now, and is removed under that.
            if case .completed(let facts) = end { finish(slot, facts, at: now) }
            return forget(slot, deletesFiles: deletesFiles)
        }
        switch end {
        case .completed(let facts): return complete(slot, facts, at: now)
        case .failed(let error): return failed(slot, error, run, at: now)
        case .paused:
            switch run.intent {
            // It ran when the program ended, so it continues after a restart.
            case .none where isClosed: break
            case .requeue: set(slot, .queued, at: now)
            case .wait(.backOff(let until, let error)): wait(slot, until: until, error, at: now)
            // Paused by somebody who holds the download itself.
            case .none, .pause, .wait, .remove: set(slot, .paused, at: now)
            }
            return [.changed(entry.id)]
        }
    }

    private mutating func wait(_ slot: Int32, until: Instant, _ error: DownloadError, at now: Instant) {
        set(slot, until > now ? .waiting(.backOff(until: until, error)) : .queued, at: now)
    }

    private mutating func complete(_ slot: Int32, _ facts: FinishedFacts, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)] else { return [] }
        finish(slot, facts, at: now)
        return [.completed(entry.id, facts, directory: entry.directory)] + trimFinished()
    }

    /// Takes a download for completed that does not run: somebody knows its end, and the session did not.
    mutating func concluded(_ slot: Int32, _ facts: FinishedFacts, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)], runs[slot] == nil, entry.state.isAlive else { return [] }
        finish(slot, facts, at: now)
        return [.changed(entry.id)] + trimFinished()
    }

    private mutating func finish(_ slot: Int32, _ facts: FinishedFacts, at now: Instant) {
        guard let entry = entries[Int(slot)] else { return }
        order.remove(key(slot, entry))
        set(slot, .completed(facts), at: now)
        if let host = hosts.number(of: entry.host) { hosts.leave(host) }
        entries[Int(slot)]?.stored = facts.byteCount
        entries[Int(slot)]?.total = facts.byteCount
        entries[Int(slot)]?.fileName = facts.fileName
        // It may be asked for again.
        releaseTargets(slot)
        finished.append(entry.id)
    }

    private mutating func trimFinished() -> [QueueAction] {
        var actions: [QueueAction] = []
        while finished.count > limits.maximumFinished, let id = finished.oldest({ [slots] in slots[$0] != nil }),
            let slot = slots[id]
        {
            actions += forget(slot, deletesFiles: false)
        }
        return actions
    }

    private mutating func failed(_ slot: Int32, _ error: DownloadError, _ run: Run, at now: Instant) -> [QueueAction] {
        // What fails because everything ends is tried again after a restart.
        if isClosed, run.intent == .none, error.recovery.isRetry { return [] }
        guard let entry = entries[Int(slot)] else { return [] }
        if error.code == .network { hosts.failed(run.host) }
        // Anything else than a file, such as a link in place of the partial file, is nobody's end.
        if error.facts.nameHolder == .file, entry.ranBefore, let name = entry.fileName {
            // The process died after the rename, before it saved its session.
            var facts = FinishedFacts(
                fileName: name, byteCount: entry.total >= 0 ? entry.total : entry.stored, finalURL: "")
            facts.isComplete = false
            facts.skipReason = .exists
            return complete(slot, facts, at: now)
        }
        if case .pause = run.intent, error.recovery.isRetry {
            set(slot, .paused, at: now)
            return [.changed(entry.id)]
        }
        if error.code == .diskFull {
            set(slot, .waiting(.diskFull(error)), at: now)
            awaitRoom(entry.id, on: space.disk(of: entry.directory), at: now)
            return [.changed(entry.id)]
        }
        // The other process makes the file, which is left as it is then, or lets go of it.
        if error.code == .locked, error.recovery.isRetry, entry.request.leavesExisting {
            wait(slot, until: now + limits.lockInterval, error, at: now)
            return [.changed(entry.id)]
        }
        guard let delay = retryDelay(after: error, entry) else { return give(up: slot, error, at: now) }
        entries[Int(slot)]?.retries += 1
        entries[Int(slot)]?.failures = 0
        wait(slot, until: now + delay, error, at: now)
        return [.changed(entry.id)]
    }

    /// Returns the wait before the next retry; nil if retrying is pointless, or the retries are used up.
    private mutating func retryDelay(after error: DownloadError, _ entry: QueueEntry) -> Duration? {
        guard entry.retries < limits.maximumRetries else { return nil }
        let backOff = limits.retry.delay(failures: Int(entry.retries) + 1, using: &random)
        switch error.recovery {
        case .retryNow: return backOff
        case .retryAfter(let delay): return delay.map { max($0, backOff) } ?? backOff
        case .reconnect, .restart, .giveUp: return nil
        }
    }

    private mutating func give(up slot: Int32, _ error: DownloadError, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)] else { return [] }
        set(slot, .failed(error), at: now)
        releaseTargets(slot)
        return [.failed(entry.id, error)]
    }
}

extension DownloadError.Recovery {
    var isRetry: Bool {
        switch self {
        case .retryNow, .retryAfter: true
        case .reconnect, .restart, .giveUp: false
        }
    }
}
