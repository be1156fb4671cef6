package import PawlCore
import Synchronization

/// The state that a pool stores on disk: its list, and the host memory.
struct PoolSaving {
    var store: (any SessionStore)?
    var memoryFile: HostMemoryFile?
    /// The downloads that have changed since the last save.
    var dirty: Set<DownloadID> = []
    var gone: [DownloadID: QueueEntry] = [:]
    /// The next save.
    var timer: (any ScheduledWork)?
    var memorySaved: Instant?

    var isDirty: Bool { !dirty.isEmpty || !gone.isEmpty }
}

extension DownloadPool {
    /// Changes within this time are saved together.
    private static let saveDelay: Duration = .milliseconds(250)
    /// A save that failed is tried again.
    private static let saveAgain: Duration = .seconds(10)
    private static let memoryInterval: Duration = .seconds(30)
    /// Entries written under one lock.
    private static let batch = 2048

    // MARK: Loading

    /// Takes over what was saved, before anything else is done with the pool. Blocks.
    ///
    /// - Parameter holds: of each download whether nobody waits for it any more; one that has not ended is paused then,
    ///   before it could run.
    /// - Throws: what the store says; nothing has been changed then.
    package func restore(
        from store: (any SessionStore)?, memory: HostMemoryFile? = nil,
        holds: (DownloadID) -> Bool = { _ in false }
    ) throws(DownloadError) {
        let wallClock = ports.runtime.secondsSinceEpoch
        let now = ports.runtime.now
        if let memory {
            let found = memory.load(wallClock: wallClock)
            // One more is tried, as by each download.
            for (host, cap) in found.caps { ports.gate.setCap(host, cap + 1, at: now) }
            state.withLock { $0.memory = found }
        }
        var entries: [QueueEntry] = []
        for record in try store?.load() ?? [] {
            do throws(DownloadError) {
                guard
                    var found = SessionCoding.decode(
                        record, at: now, wallClock: wallClock, readingURL: runner.url)
                else {
                    throw DownloadError(
                        .journal,
                        "The session holds a download (\(record.id)) that cannot be read. It was left unchanged. Restore a good copy, or move it away to start with an empty list.",
                        recovery: .giveUp)
                }
                if found.entry.state.isAlive, holds(record.id) { found.entry.state = .paused }
                entries.append(try runner.restore(found))
            } catch {
                try store?.leaveOut(record.id, error)
            }
        }
        state.withLock { state in
            for index in entries.indices { entries[index].request = state.templates.shared(entries[index].request) }
            state.saving.store = store
            state.saving.memoryFile = memory
            state.nextID = max(state.nextID, (entries.map(\.id.number).max() ?? 0) &+ 1)
        }
        if !entries.isEmpty {
            handle(.restore(entries))
            // A directory that does not answer holds nothing up.
            ports.runtime.makeSyncExecutor().submit { [ports, entries] in
                ports.receipts.discardLeft(by: entries, ports.storage)
            }
        }
    }

    // MARK: Saving

    func noteForSaving(_ actions: [QueueAction], _ state: inout State) {
        guard state.saving.store != nil else { return }
        for action in actions {
            switch action {
            case .changed(let id), .completed(let id, _, _), .failed(let id, _): state.saving.dirty.insert(id)
            case .removed(let entry, _):
                state.saving.dirty.remove(entry.id)
                state.saving.gone[entry.id] = entry
            case .start, .stop, .measure: break
            }
        }
        scheduleSave(&state, after: Self.saveDelay)
    }

    private func scheduleSave(_ state: inout State, after delay: Duration) {
        guard state.saving.isDirty, state.saving.timer == nil, !state.isShutDown else { return }
        state.saving.timer = ports.runtime.schedule(after: delay, on: saveExecutor) { [weak self] in self?.saveInTurn()
        }
    }

    private func saveInTurn() {
        state.withLock { $0.saving.timer = nil }
        let isSaved = saveNow()
        saveMemory(mayWait: true)
        state.withLock { scheduleSave(&$0, after: isSaved ? Self.saveDelay : Self.saveAgain) }
    }

    /// Saves all that has changed before the call: what changes meanwhile has a save of its own, so that it is not
    /// written one by one. On the save executor.
    @discardableResult
    func saveNow() -> Bool {
        var waiting = state.withLock { Array($0.saving.dirty) }[...]
        repeat {
            let some = waiting.prefix(Self.batch)
            waiting = waiting.dropFirst(Self.batch)
            let (store, entries, gone, left) = state.withLock { state in
                for id in some { state.saving.dirty.remove(id) }
                defer { state.saving.gone = [:] }
                let gone = state.saving.gone
                // A download that takes the place of another one may need what that has left.
                let left = gone.values.filter { state.machine.holder(of: $0.target) == nil }
                return (state.saving.store, some.compactMap { state.machine[$0] }, gone, left)
            }
            guard let store else { return true }
            guard !entries.isEmpty || !gone.isEmpty else { continue }
            let now = ports.runtime.now
            let wallClock = ports.runtime.secondsSinceEpoch
            let changes =
                gone.keys.sorted().map(SessionChange.remove)
                + entries.sorted { $0.id < $1.id }.map {
                    .put(SessionCoding.encode(runner.store($0), at: now, wallClock: wallClock))
                }
            do throws(DownloadError) {
                try store.save(changes)
            } catch {
                state.withLock { state in
                    state.saving.gone.merge(gone) { _, earlier in earlier }
                    for entry in entries where state.saving.gone[entry.id] == nil {
                        state.saving.dirty.insert(entry.id)
                    }
                }
                events.publish(.event(.notSaved(error)))
                return false
            }
            ports.receipts.discard(of: entries, removed: left, ports.storage)
            discardLeft(byRemoved: left.filter { !$0.state.isCompleted && $0.fileName != nil })
        } while !waiting.isEmpty
        return true
    }

    /// A directory that does not answer holds no save up.
    private func discardLeft(byRemoved entries: [QueueEntry]) {
        guard !entries.isEmpty else { return }
        ports.runtime.diskExecutor.submit { [ports] in
            ports.receipts.discardLeft(byRemoved: entries, ports.storage)
        }
    }

    func saveMemory(mayWait: Bool) {
        let now = ports.runtime.now
        let (file, memory) = state.withLock { state -> (HostMemoryFile?, HostMemory) in
            let isEarly = state.saving.memorySaved.map { now - $0 < Self.memoryInterval } ?? false
            guard state.memory.isDirty, !(mayWait && isEarly) else { return (nil, state.memory) }
            state.memory.isDirty = false
            state.saving.memorySaved = now
            return (state.saving.memoryFile, state.memory)
        }
        file?.save(memory, wallClock: ports.runtime.secondsSinceEpoch, random: ports.runtime.random())
    }

    /// The last save, after which the store is closed.
    func closeSession() async {
        await withCheckedContinuation { continuation in
            saveExecutor.submit { [self] in
                while saveNow(), state.withLock({ $0.saving.isDirty }) {}
                saveMemory(mayWait: false)
                state.withLock { state in
                    defer { state.saving.store = nil }
                    return state.saving.store
                }?.close()
                continuation.resume()
            }
        }
    }

    /// Saves what has changed so far, and waits until it is durable.
    package func saveSession() async -> Bool {
        let isSaved: Bool? = await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                guard !state.isShutDown else { return false }
                // Under the lock, so that it comes before the shutdown's save.
                saveExecutor.submit { [self] in continuation.resume(returning: saveNow()) }
                return true
            }
            if !isTaken { continuation.resume(returning: nil) }
        }
        if let isSaved { return isSaved }
        // The last save is the shutdown's, and after it there is no thread for another.
        await waitUntilOver()
        return state.withLock { !$0.saving.isDirty }
    }
}

extension HostMemory {
    /// The connections that hosts accept, as a gate counts them: `host:port`.
    var caps: [(String, Int)] {
        hosts.compactMap { name, facts in
            guard let cap = facts.connectionCap, let url = try? HTTPURL(parsing: name + "/") else { return nil }
            return (url.hostKey, cap.value)
        }
    }
}
