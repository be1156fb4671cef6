import Pawl
import PawlCore

/// Several downloads by the library's manager, each event of which becomes a word to the display.
actor QueueFetch {
    private let get: ResolvedGet
    private let session: Session
    private let display: GetDisplay
    private let hooks: DownloadHooks?
    private let unpacker: Unpacker?
    /// Not ended yet.
    private var open: [DownloadID: PlannedDownload] = [:]
    private var begun: Set<DownloadID> = []
    private var obstacles = Obstacles()
    private var isStopping = false

    init(get: ResolvedGet, session: Session, display: GetDisplay, hooks: DownloadHooks?, unpacker: Unpacker?) {
        self.get = get
        self.session = session
        self.display = display
        self.hooks = hooks
        self.unpacker = unpacker
    }

    func run() async throws(DownloadError) {
        let manager = try DownloadManager(configuration: configuration)
        // Never taken down, as the process ends without it (see ``Process/exit(_:)``).
        _ = Unmanaged.passRetained(manager)
        let events = manager.events
        session.interruption.onStop(within: unpacker == nil ? .checkpoint : .removal) { [unpacker] in
            Task { await manager.shutdown() }
            Task { await unpacker?.stop() }
        }
        let ticker = Task { await self.tick() }
        await add(to: manager)
        if !open.isEmpty {
            for await event in events {
                await take(event, manager)
                if open.isEmpty { break }
            }
        }
        await unpacker?.finish()
        ticker.cancel()
        // Nothing may be drawn after the last line.
        await ticker.value
        await leave(manager)
        // What hosts have taught is written with this.
        await manager.shutdown()
    }

    private var configuration: DownloadManager.Configuration {
        var configuration = DownloadManager.Configuration()
        configuration.maximumRunning = get.maximumRunning
        configuration.maximumConnectionsPerHost = get.maximumConnectionsPerHost
        // A download itself tries again what may pass, as long as it does for one file.
        configuration.maximumRetries = 0
        configuration.maximumFinished = get.downloads.count
        configuration.downloader = get.configuration
        configuration.hostMemoryPath = StateDirectory.file("hosts")
        return configuration
    }

    private func add(to manager: DownloadManager) async {
        for planned in get.downloads where session.interruption.cause == nil {
            do throws(DownloadError) {
                let id = try manager.add(planned.request, onDuplicate: planned.request.ifExists == .rename ? .rename : .fail)
                if let other = open[id] { throw Self.alreadyPlanned(as: other) }
                open[id] = planned
            } catch {
                await display.began(planned)
                await end(planned, .failed(error), manager)
            }
        }
    }

    /// The manager answers the same id for one URL and one target, which were written in two ways: `x` and `./x`. There will be one file,
    /// so only one of them is counted as done.
    private static func alreadyPlanned(as other: PlannedDownload) -> DownloadError {
        DownloadError(
            .locked, "This run already downloads the same URL to the same place (\(other.shownURL)). Leave one of them out.",
            recovery: .giveUp)
    }

    private func tick() async {
        guard let interval = display.interval else { return }
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            await display.tick(waitingFor: obstacles.sentence)
        }
    }

    // MARK: What happens

    private func take(_ event: DownloadManager.Event, _ manager: DownloadManager) async {
        switch event {
        case .added, .removed, .sessionNotSaved: break
        case .changed(let snapshot): await look(at: snapshot, manager)
        case .notice(let id, let notice):
            await begin(id)
            if let planned = open[id] { await display.note(notice, of: planned) }
        case .completed(let id, let result): await end(id, .completed(result), manager)
        case .failed(let id, let error): await end(id, .failed(error), manager)
        case .missed: await catchUp(manager)
        }
    }

    private func look(at snapshot: DownloadSnapshot, _ manager: DownloadManager) async {
        guard let planned = open[snapshot.id] else { return }
        if case .running = snapshot.state { await begin(snapshot.id) }
        obstacles.set(Obstacle(snapshot, isBegun: begun.contains(snapshot.id)), for: snapshot.id)
        if begun.contains(snapshot.id) { await display.update(planned, shownProgress(snapshot), name: snapshot.fileName) }
        await giveUpOnFullDisk(manager)
    }

    /// What keeps it from running is said where its bytes would be.
    private func shownProgress(_ snapshot: DownloadSnapshot) -> DownloadProgress {
        var progress = snapshot.progress
        if case .waiting = progress.state { return progress }
        if case .waiting = snapshot.state, let reason = snapshot.whyWaiting { progress.state = .waiting(seconds: 0, reason: reason) }
        return progress
    }

    private func begin(_ id: DownloadID) async {
        guard let planned = open[id], begun.insert(id).inserted else { return }
        await display.began(planned)
    }

    private func end(_ id: DownloadID, _ ending: GetEnding, _ manager: DownloadManager) async {
        // What ends at once was never seen to run.
        await begin(id)
        let planned = open.removeValue(forKey: id)
        begun.remove(id)
        obstacles.set(nil, for: id)
        if let planned { await end(planned, ending, manager) }
        await giveUpOnFullDisk(manager)
    }

    private func end(_ planned: PlannedDownload, _ ending: GetEnding, _ manager: DownloadManager) async {
        let counted = await display.ended(planned, ending)
        if case .completed(let result) = counted, let unpacker {
            let unpacking = await unpacker.begin(planned, result)
            guard get.failsFast else { return }
            Task { if case .failed = await unpacking.value { self.failFast(manager) } }
        } else {
            await hooks?.ended(planned, counted)
            if case .failed = counted { failFast(manager) }
        }
    }

    private func failFast(_ manager: DownloadManager) {
        guard get.failsFast, !isStopping else { return }
        isStopping = true
        Task { await manager.shutdown() }
        Task { await unpacker?.stop() }
    }

    /// The manager waits for space; a command whose every download does so ends, for whoever could make space is waiting for it.
    private func giveUpOnFullDisk(_ manager: DownloadManager) async {
        guard !open.isEmpty, obstacles.fullDisk.count == open.count else { return }
        for (id, reason) in obstacles.fullDisk.sorted(by: { $0.key < $1.key }) {
            await end(id, .failed(DownloadError(.diskFull, reason, remedies: [.freeSpace], recovery: .retryAfter(nil))), manager)
        }
    }

    /// Events were lost: whatever has ended meanwhile is asked for one by one.
    private func catchUp(_ manager: DownloadManager) async {
        for id in open.keys.sorted() {
            switch manager.snapshot(id)?.state {
            case .completed, .failed:
                do {
                    await end(id, .completed(try await manager.result(of: id)), manager)
                } catch let error as DownloadError {
                    await end(id, .failed(error), manager)
                } catch {
                    // Asked for after a shutdown: it is counted as stopped.
                }
            case .running: await begin(id)
            case .queued, .waiting, .paused, nil: break
            }
        }
    }

    /// Tells of those that were under way when all was stopped.
    private func leave(_ manager: DownloadManager) async {
        for (id, planned) in open.sorted(by: { $0.key < $1.key }) where begun.contains(id) {
            let progress = manager.snapshot(id)?.progress
            let ending = GetEnding.stopped(
                session.interruption.cause, bytes: progress?.bytesStored ?? 0, total: progress?.totalBytes)
            let counted = await display.ended(planned, ending)
            await hooks?.ended(planned, counted)
        }
    }
}
