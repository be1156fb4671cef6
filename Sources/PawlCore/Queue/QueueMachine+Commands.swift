/// Commands from people and programs.
extension QueueMachine {
    /// Far enough apart that others find a place between them.
    private static let spacing: Int64 = 1 << 20

    mutating func add(_ entry: QueueEntry, isPaused: Bool, at now: Instant) -> [QueueAction] {
        var entry = entry
        entry.since = wallClock(of: now)
        if entry.position == 0 { entry.position = endPosition }
        entry.state = isPaused ? .paused : .queued
        admit(entry)
        return [.changed(entry.id)]
    }

    private var endPosition: Int64 {
        // Keys are ordered by priority first, so the last one need not have the greatest position; positions only ever
        // grow here.
        lastPosition.addingReportingOverflow(Self.spacing).overflow ? lastPosition : lastPosition + Self.spacing
    }

    private var lastPosition: Int64 { max(order.last?.position ?? 0, highestPosition) }

    /// Puts it where its state and position say.
    private mutating func admit(_ entry: QueueEntry) {
        guard slots[entry.id] == nil else { return }
        let slot: Int32
        if let reused = freeSlots.popLast() {
            slot = reused
            entries[Int(slot)] = entry
        } else {
            slot = Int32(entries.count)
            entries.append(entry)
        }
        slots[entry.id] = slot
        if entry.state.isAlive {
            targets.give(entry.target, to: slot)
            if entry.claimed != 0 { _ = targets.claim(entry.claimed, for: slot) }
        }
        highestPosition = max(highestPosition, entry.position)
        if case .completed = entry.state {
            finished.append(entry.id)
            return
        }
        let host = hosts.enter(entry.host)
        order.insert(key(slot, entry))
        if case .queued = entry.state { hosts.enqueue(key(slot, entry), host: host, isLarge: entry.isLarge) }
    }

    /// Restores the entries of a session. Downloads that ran when it was saved go first; waits are examined again.
    mutating func restore(_ restored: [QueueEntry], at now: Instant) -> [QueueAction] {
        var ran: [DownloadID] = []
        for var entry in restored.sorted(by: { $0.id < $1.id }) {
            if case .running = entry.state {
                ran.append(entry.id)
                entry.state = .queued
                entry.ranBefore = true
            }
            if case .waiting(.diskFull) = entry.state { entry.state = .queued }
            if entry.lacksSecrets {
                awaitSecrets(&entry)
                ran.removeAll { $0 == entry.id }
            }
            admit(entry)
            if case .waiting(.backOff(let until, _)) = entry.state, let slot = slots[entry.id] {
                timers.insert(TimerKey(at: until, kind: .entry, number: Int64(slot)))
            }
        }
        var actions = restored.map { QueueAction.changed($0.id) }
        let first = ran.compactMap { slots[$0] }.sorted { left, right in
            guard let a = entries[Int(left)], let b = entries[Int(right)] else { return left < right }
            return key(left, a) < key(right, b)
        }
        for slot in first where runs.count < limits.maximumRunning { actions += begin(slot, at: now) }
        return actions
    }

    mutating func pause(_ slot: Int32, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)] else { return [] }
        switch entry.state {
        case .running: return stop(slot, then: .pause)
        case .queued:
            set(slot, .paused, at: now)
            return [.changed(entry.id)]
        case .waiting(.credentials), .paused, .completed, .failed: return []
        case .waiting:
            set(slot, .paused, at: now)
            return [.changed(entry.id)]
        }
    }

    mutating func resume(_ slot: Int32, at now: Instant) -> [QueueAction] {
        guard let entry = entries[Int(slot)] else { return [] }
        switch entry.state {
        case .paused, .waiting(.backOff), .waiting(.diskFull):
            break
        case .failed:
            guard claimTargets(slot) else { return [] }
        case .running:
            // The entry is still stopping; restart it when it has stopped.
            if case .pause? = runs[slot]?.intent { runs[slot]?.intent = .requeue }
            guard case .backsOff? = outliers.idle[slot]?.news else { return [] }
            endRest(of: entry.host)
            return stop(slot, then: .requeue)
        case .queued:
            endRest(of: entry.host)
            return [.changed(entry.id)]
        case .waiting(.credentials), .completed: return []
        }
        if case .waiting = entry.state { endRest(of: entry.host) }
        entries[Int(slot)]?.retries = 0
        entries[Int(slot)]?.failures = 0
        set(slot, entry.lacksSecrets ? .waiting(.credentials) : .queued, at: now)
        return [.changed(entry.id)]
    }

    /// Ends the rest of a host, because it serves again or a user wants it to be tried at once.
    mutating func hostServes(_ host: String) -> [QueueAction] {
        endRest(of: host)
        return []
    }

    mutating func updateBudget(_ host: String, _ change: (inout SmallFileBudget) -> Void) -> [QueueAction] {
        if let number = hosts.number(of: host) { hosts.updateBudget(number, change) }
        return []
    }

    mutating func networkChanged() -> [QueueAction] {
        hosts.endRestsOfUnreachable()
        return []
    }

    private mutating func endRest(of host: String) {
        if let number = hosts.number(of: host) { hosts.endRest(number) }
    }

    mutating func resumeIfPaused(_ slot: Int32, at now: Instant) -> [QueueAction] {
        switch entries[Int(slot)]?.state {
        case .paused: resume(slot, at: now)
        case .running where runs[slot]?.intent == .pause: resume(slot, at: now)
        default: []
        }
    }

    mutating func remove(_ slot: Int32, deletesFiles: Bool) -> [QueueAction] {
        guard runs[slot] == nil else { return stop(slot, then: .remove(deletesFiles: deletesFiles)) }
        return forget(slot, deletesFiles: deletesFiles)
    }

    mutating func forget(_ slot: Int32, deletesFiles: Bool) -> [QueueAction] {
        guard let entry = entries[Int(slot)] else { return [] }
        leaveState(slot)
        releaseTargets(slot)
        space.claim(nil, on: nil, for: entry.id)
        slots[entry.id] = nil
        entries[Int(slot)] = nil
        if case .completed = entry.state {
            finished.removeOne { [slots] in slots[$0] != nil }
        } else {
            order.remove(key(slot, entry))
            if let host = hosts.number(of: entry.host) { hosts.leave(host) }
        }
        freeSlots.append(slot)
        return [.removed(entry, deletesFiles: deletesFiles)]
    }

    // MARK: States

    /// Leaves its present state: its place among the queued, its timers, its wait for a disk.
    mutating func leaveState(_ slot: Int32) {
        guard let entry = entries[Int(slot)] else { return }
        switch entry.state {
        case .queued:
            if let host = hosts.number(of: entry.host) { hosts.dequeue(key(slot, entry), host: host) }
        case .waiting(.backOff(let until, _)):
            timers.remove(TimerKey(at: until, kind: .entry, number: Int64(slot)))
        case .waiting(.diskFull): space.stopWaiting(entry.id)
        case .waiting(.credentials), .running, .paused, .completed, .failed: break
        }
    }

    mutating func set(_ slot: Int32, _ state: QueueEntry.State, at now: Instant) {
        leaveState(slot)
        entries[Int(slot)]?.state = state
        let since = wallClock(of: now)
        entries[Int(slot)]?.since = since
        guard let entry = entries[Int(slot)] else { return }
        switch state {
        case .queued:
            if let host = hosts.number(of: entry.host) {
                hosts.enqueue(key(slot, entry), host: host, isLarge: entry.isLarge)
            }
        case .waiting(.backOff(let until, _)):
            timers.insert(TimerKey(at: until, kind: .entry, number: Int64(slot)))
        case .waiting, .running, .paused, .completed, .failed: break
        }
    }

    /// Stops a running download. A later intent overrides an earlier one, but a removal remains a removal.
    mutating func stop(_ slot: Int32, then intent: Run.Intent) -> [QueueAction] {
        guard var run = runs[slot], let id = entries[Int(slot)]?.id else { return [] }
        if case .remove = run.intent { return [] }
        let isNew = !run.isStopping
        run.intent = intent
        run.isStopping = true
        runs[slot] = run
        // One that has not begun ends when its disk has answered.
        return isNew && !run.isMeasured ? [.stop(id)] : []
    }

    mutating func change(_ slot: Int32, _ request: DownloadSettings.Request) -> [QueueAction] {
        guard let id = entries[Int(slot)]?.id else { return [] }
        entries[Int(slot)]?.request = request
        return [.changed(id)]
    }

    // MARK: Order

    mutating func setPriority(_ slot: Int32, _ priority: Int32) -> [QueueAction] {
        guard let entry = entries[Int(slot)] else { return [] }
        return replace(slot, priority: max(-Int32.max, priority), position: entry.position)
    }

    /// Restores a priority and position that the entry had before.
    mutating func put(_ slot: Int32, _ priority: Int32, _ position: Int64) -> [QueueAction] {
        replace(slot, priority: priority, position: position)
    }

    mutating func move(_ slot: Int32, to position: QueuePosition) -> [QueueAction] {
        guard let entry = entries[Int(slot)], order.remove(key(slot, entry)) else { return [] }
        var priority = entry.priority
        var rank = order.rank(of: key(slot, entry))
        switch position {
        case .top: rank = 0
        case .bottom: rank = .max
        case .offset(let count): rank = max(0, rank + max(-order.count, min(count, order.count)))
        case .index(let index): rank = max(0, index)
        case .before(let other), .after(let other):
            if let slot = slots[other], let neighbour = entries[Int(slot)], order.contains(key(slot, neighbour)) {
                priority = neighbour.priority
                rank = order.rank(of: key(slot, neighbour))
                if case .after = position { rank += 1 }
            }
        }
        var actions: [QueueAction] = []
        let place = freePosition(rank, priority: priority, &actions)
        order.insert(key(slot, entry))
        return actions + replace(slot, priority: priority, position: place)
    }

    /// A position between the neighbours that a rank has, within the priority.
    private mutating func freePosition(_ rank: Int, priority: Int32, _ actions: inout [QueueAction]) -> Int64 {
        let first = order.rank(of: QueueKey(rank: -priority, slot: -1, position: .min))
        let end = order.rank(of: QueueKey(rank: -priority, slot: .max, position: .max))
        let rank = min(max(rank, first), end)
        let before = rank > first ? order[rank - 1]?.position : nil
        let after = rank < end ? order[rank]?.position : nil
        switch (before, after) {
        case (nil, nil): return endPosition
        case (let before?, nil): return before + Self.spacing
        case (nil, let after?): return after - Self.spacing
        case (let before?, let after?):
            if after - before > 1 { return before + (after - before) / 2 }
            actions += spread()
            return freePosition(rank, priority: priority, &actions)
        }
    }

    /// Rare: so many were put between the same two that there is no number left.
    ///
    /// - Returns: One `changed` action per entry, since every position is new.
    private mutating func spread() -> [QueueAction] {
        var position: Int64 = 0
        var actions: [QueueAction] = []
        for key in order.keys {
            guard let entry = entries[Int(key.slot)] else { continue }
            position += Self.spacing
            let priority = entry.priority
            actions += replace(key.slot, priority: priority, position: position)
        }
        highestPosition = position
        return actions
    }

    private mutating func replace(_ slot: Int32, priority: Int32, position: Int64) -> [QueueAction] {
        guard let former = entries[Int(slot)] else { return [] }
        let host = hosts.number(of: former.host)
        let wasInOrder = order.remove(key(slot, former))
        var isQueued = false
        if case .queued = former.state { isQueued = true }
        if isQueued, let host { hosts.dequeue(key(slot, former), host: host) }
        entries[Int(slot)]?.priority = priority
        entries[Int(slot)]?.position = position
        highestPosition = max(highestPosition, position)
        guard let entry = entries[Int(slot)] else { return [] }
        if wasInOrder { order.insert(key(slot, entry)) }
        if isQueued, let host { hosts.enqueue(key(slot, entry), host: host, isLarge: entry.isLarge) }
        return [.changed(entry.id)]
    }
}
