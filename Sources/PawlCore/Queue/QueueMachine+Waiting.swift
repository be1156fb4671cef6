/// Timers and disk space.
extension QueueMachine {
    mutating func dueTimers(at now: Instant) -> [QueueAction] {
        var actions: [QueueAction] = []
        while let timer = timers.first, timer.at <= now {
            timers.remove(timer)
            switch timer.kind {
            case .entry:
                let slot = Int32(timer.number)
                guard let entry = entries[Int(slot)], case .waiting(.backOff) = entry.state else { continue }
                set(slot, .queued, at: now)
                actions.append(.changed(entry.id))
            case .host: hosts.wake(Int32(timer.number), at: now)
            case .disk:
                space.endTimer(UInt64(bitPattern: timer.number))
                actions += lookAgain(UInt64(bitPattern: timer.number), at: now)
            }
        }
        return actions
    }

    // MARK: Disks

    /// Returns the error of a disk that is known to be full, so that the download is not even tried.
    func obstacleOfDisk(_ entry: QueueEntry) -> DownloadError? {
        guard let disk = space.disk(of: entry.directory), space.isFull(disk) else { return nil }
        return DownloadError(
            .diskFull, "The disk of “\(entry.directory)” is full. The download resumes when there is room.",
            remedies: [.freeSpace],
            recovery: .retryAfter(nil))
    }

    mutating func awaitRoom(_ id: DownloadID, on disk: UInt64?, at now: Instant) {
        // If the disk is unknown, so is whether another directory shares it.
        let disk = disk ?? 0
        space.wait(id, for: disk)
        space.setFull(disk, true)
        lookLater(disk, at: now)
    }

    private mutating func lookLater(_ disk: UInt64, at now: Instant) {
        guard space.beginTimer(disk) else { return }
        timers.insert(TimerKey(at: now + limits.diskInterval, kind: .disk, number: Int64(bitPattern: disk)))
    }

    /// A few are tried; the first of them tells whether there is room.
    private mutating func lookAgain(_ disk: UInt64, at now: Instant) -> [QueueAction] {
        space.setFull(disk, false)
        let released = space.release(disk, upTo: max(1, limits.maximumRunning))
        if space.isAwaited(disk) { lookLater(disk, at: now) }
        return released.compactMap { id in
            guard let slot = slots[id] else { return nil }
            set(slot, .queued, at: now)
            return .changed(id)
        }
    }

    mutating func measured(_ slot: Int32, _ disk: UInt64?, _ available: Int64, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)], let run = runs[slot], run.isMeasured else { return [] }
        if let disk { space.note(entry.directory, on: disk) }
        runs[slot]?.isMeasured = false
        if run.isStopping { return ended(slot, .paused, at: now) }
        let missing = entry.missing ?? 0
        let claimed = disk.map { space.claimed(on: $0, beside: entry.id) } ?? 0
        guard let disk, available - min(available, claimed) < missing else {
            space.claim(missing, on: disk, for: entry.id)
            return [.start(entry.id)]
        }
        (runs[slot], outliers.idle[slot]) = (nil, nil)
        hosts.ended(run.host, isExtra: run.isExtra)
        let error = DownloadError.lacksSpace(
            entry.fileName ?? entry.directory, needed: missing, available: available, claimed: claimed)
        set(slot, .waiting(.diskFull(error)), at: now)
        // A smaller one may fit, so the disk is not called full for it.
        space.wait(entry.id, for: disk)
        lookLater(disk, at: now)
        return [.changed(entry.id)]
    }
}
