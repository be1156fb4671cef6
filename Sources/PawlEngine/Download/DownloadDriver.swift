package import PawlCore
import Synchronization

/// Drives one download: hands events to the machine, one at a time, and performs what it answers.
///
/// Everything here happens on one control lane and takes no decision of its own. The lock is held only while the machine thinks; the
/// actions are performed after it is released.
package final class DownloadDriver: Sendable {
    package struct Ending: Sendable {
        package var phase: DownloadMachine.Phase
        package var directory: String
        /// The final name, or the one it would have had.
        package var fileName: String?
        package var total: Int64?
        package var representation: Representation?
        package var finalURL: HTTPURL
        package var stored: Int64
    }

    /// What the owner of a download wants to hear. Called on the control lane; must not block.
    package struct Listener: Sendable {
        package var progress: @Sendable (DownloadProgress) -> Void
        package var report: @Sendable (DownloadReport) -> Void
        package var ended: @Sendable (Ending) -> Void
        /// A fresh URL for one that has expired; nil when there is none.
        package var refreshURL: (@Sendable () async -> HTTPURL?)?

        package init(
            progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in },
            report: @escaping @Sendable (DownloadReport) -> Void = { _ in },
            ended: @escaping @Sendable (Ending) -> Void,
            refreshURL: (@Sendable () async -> HTTPURL?)? = nil
        ) {
            self.progress = progress
            self.report = report
            self.ended = ended
            self.refreshURL = refreshURL
        }
    }

    private struct State {
        var machine: DownloadMachine?
        var files: PartialFiles?
        var locator: Locator?
        var writers: [ExchangeID: SegmentWriter] = [:]
        var aside: PartialFiles.Aside?
        /// Fixed by the first answer, or by the caller (FAULTS M12).
        var fileName: String?
        var tick: (any ScheduledWork)?
        var ticks = 0
        var hasEnded = false
        /// Asked for before there was a machine to ask.
        var early: DownloadEvent?
    }

    private let spec: DownloadSpec
    private let doors: Doors
    private let listener: Listener
    private let lane: any Lane
    private let pool: BufferPool
    private let limiter: SpeedLimiter?
    private let id: [UInt8]
    private let state = Locked(State())

    private static let tickInterval: Duration = .milliseconds(50)
    private static let flushEvery = 10
    /// The clock runs on while the machine sleeps, and timers may not (FAULTS J10): a long wait is looked at now and then.
    private static let longestTimer: Duration = .seconds(10)

    package init(_ spec: DownloadSpec, doors: Doors, listener: Listener) {
        self.spec = spec
        self.doors = doors
        self.listener = listener
        let runtime = doors.runtime
        lane = runtime.makeControlLane()
        pool = BufferPool(connections: spec.settings.maximumConnections)
        limiter = spec.bytesPerSecond.map { SpeedLimiter(bytesPerSecond: $0, now: runtime.now) }
        id = (0..<2).flatMap { _ in withUnsafeBytes(of: runtime.random().littleEndian, Array.init) }
    }

    // MARK: Told by the owner

    package func start() {
        onDisk(orFail: { self.fail($0) }) { [self] () throws(DownloadError) in
            let locator = try Locator(spec, doors.storage, newID: id, now: doors.runtime.secondsSinceEpoch)
            let found = try locator.locate()
            post { self.located(found, locator) }
        }
    }

    /// Saves what is held and ends in `paused`.
    package func pause() { post { self.interrupt(.pause) } }

    /// Ends in `cancelled`; what is held is saved all the same, for a later run.
    package func cancel() { post { self.interrupt(.cancel) } }

    private func interrupt(_ event: DownloadEvent) {
        let hasMachine = state.withLock { state in
            if state.machine == nil { state.early = event }
            return state.machine != nil
        }
        if hasMachine { handle(event) }
    }

    // MARK: Lanes

    private func post(_ work: @escaping @Sendable () -> Void) { lane.submit(work) }

    /// Work on files, in order, off the control lane.
    private func onDisk(
        orFail failed: @escaping @Sendable (DownloadError) -> Void,
        _ work: @escaping @Sendable () throws(DownloadError) -> Void
    ) {
        doors.runtime.syncLane.submit { [self] in
            do throws(DownloadError) {
                try work()
            } catch {
                post { failed(error) }
            }
        }
    }

    // MARK: Beginning

    private func located(_ found: Locator.Found, _ locator: Locator) {
        switch found {
        case .fresh(let name):
            begin(.nothing, files: nil, name: name, locator)
        case .resumable(let files, let recovered):
            begin(recovered, files: files, name: files.names.target, locator)
        case .skipped(let name):
            end(.completed(.init(isComplete: false, isVerified: false, isSkipped: true)), name: name)
        case .alreadyFinished(let name, let record):
            let isVerified = record.expectedDigest != nil || !record.representation.digests.isEmpty
            end(
                .completed(.init(isComplete: true, isVerified: isVerified)), name: name,
                representation: record.representation)
        }
    }

    private func begin(
        _ recovered: DownloadMachine.Recovered, files: PartialFiles?, name: String?, _ locator: Locator
    ) {
        var settings = spec.settings
        settings.seed = doors.runtime.random()
        settings.fileName = spec.fileName
        settings.canRefresh = listener.refreshURL != nil
        settings.epochAtZero = doors.runtime.secondsSinceEpoch - doors.runtime.now.nanoseconds / 1_000_000_000
        let machine = DownloadMachine(settings: settings, recovered: recovered)
        let early = state.withLock { state in
            state.machine = machine
            state.files = files
            state.fileName = name
            state.locator = locator
            return state.early
        }
        // A pause that came first leaves nothing to do but to say so.
        if let early { handle(early) } else { handle(.begin) }
    }

    private func fail(_ error: DownloadError) { end(.failed(error), name: spec.fileName) }

    // MARK: The machine

    private func handle(_ event: DownloadEvent) {
        let now = doors.runtime.now
        let actions = state.withLock { $0.machine?.handle(event, at: now) ?? [] }
        for action in actions { perform(action) }
        afterEvent(at: now)
    }

    private func afterEvent(at now: Instant) {
        var wait: Duration?
        let progress = state.withLock { state -> DownloadProgress? in
            guard let machine = state.machine, !state.hasEnded else { return nil }
            if state.tick == nil, !machine.phase.isTerminal {
                wait = machine.nextWakeUp.map { min(max($0 - now, .zero), Self.longestTimer) } ?? Self.tickInterval
            }
            return machine.phase.isTerminal ? nil : machine.progress(at: now)
        }
        if let progress { listener.progress(progress) }
        guard let wait else { return }
        let tick = doors.runtime.schedule(after: wait, on: lane) { self.ticked() }
        state.withLock { $0.tick = tick }
    }

    private func ticked() {
        let now = doors.runtime.now
        let (writers, isFlush) = state.withLock { state -> ([(ExchangeID, SegmentWriter)], Bool) in
            state.tick = nil
            state.ticks += 1
            return (state.writers.sorted { $0.key < $1.key }, state.ticks % Self.flushEvery == 0)
        }
        var actions: [DownloadAction] = []
        for (id, writer) in writers {
            if isFlush { writer.flush() }
            let counters = writer.counters
            actions += state.withLock {
                $0.machine?.handle(
                    .advanced(
                        id, stored: counters.stored, received: counters.received, isHeldByUs: counters.isHeldByUs),
                    at: now) ?? []
            }
        }
        for action in actions { perform(action) }
        handle(.tick)
    }

    // MARK: Actions

    private func perform(_ action: DownloadAction) {
        switch action {
        case .ask(let id, let url, let fields): ask(id, url, fields)
        case .prepare(let representation, let name): prepare(representation, suggested: name)
        case .store(let id, let position, let overlap, let end): store(id, position, overlap: overlap, end: end)
        case .setEnd(let id, let end): writer(id)?.setEnd(end)
        case .cancel(let id): writer(id)?.cancel()
        case .checkpoint(let ranges): checkpoint(ranges)
        case .jot(let ranges): jot(ranges)
        case .setAside(let keep): setAside(keep: keep)
        case .dropAside: dropAside()
        case .refresh: refresh()
        case .verify(let digests): verify(digests)
        case .finish: finish()
        case .condemn: condemn()
        case .report(let report): listener.report(report)
        case .release: release()
        }
    }

    private func writer(_ id: ExchangeID) -> SegmentWriter? { state.withLock { $0.writers[id] } }

    private var files: PartialFiles? { state.withLock { $0.files } }

    private func ask(_ id: ExchangeID, _ url: HTTPURL, _ fields: [HTTPField]) {
        let writer = SegmentWriter(
            id: id, runtime: doors.runtime, lane: lane, pool: pool, limiter: limiter,
            sink: { event in self.post { self.fromWriter(id, event) } })
        state.withLock { $0.writers[id] = writer }
        writer.attach(doors.transport.start(TransportRequest(url: url, fields: fields), handler: writer))
    }

    private func fromWriter(_ id: ExchangeID, _ event: DownloadEvent) {
        if case .ended = event {
            let writer = state.withLock { $0.writers.removeValue(forKey: id) }
            if let writer {
                let counters = writer.counters
                files?.journal.note(writer.takeHashedBlocks())
                handle(.advanced(id, stored: counters.stored, received: counters.received, isHeldByUs: false))
            }
        }
        handle(event)
    }

    private func store(_ id: ExchangeID, _ position: Int64, overlap: Int64, end: Int64?) {
        guard let writer = writer(id), let files else { return }
        let (total, announcedEnd) = state.withLock { state in
            (state.machine?.total, state.machine?.segments.first { $0.id == id }?.announcedEnd)
        }
        let begin: @Sendable ([UInt8]) -> Void = { held in
            writer.begin(
                SegmentWriter.Target(
                    file: files.file, floor: files.floor, position: position, end: end, overlap: held,
                    hasher: files.journal.hasher(from: position, total: total), endsWithMessage: end == announcedEnd))
        }
        guard overlap > 0 else { return begin([]) }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { () throws(DownloadError) in
            do throws(StorageError) {
                begin(try files.read(ByteRange((position - overlap)..<position)))
            } catch {
                throw .storage(error)
            }
        }
    }

    private func prepare(_ representation: Representation, suggested: String) {
        let (known, locator) = state.withLock { ($0.fileName, $0.locator) }
        guard let locator else { return }
        onDisk(orFail: { self.handle(.prepared(.failed($0))) }) { [self] () throws(DownloadError) in
            let name: String
            // The caller's name was looked at before the network was; the server's is met only now.
            let found: Locator.Found = if let known { .fresh(name: known) } else { try locator.examine(suggested) }
            switch found {
            case .fresh(let chosen): name = chosen ?? suggested
            case .skipped(let existing):
                post {
                    self.state.withLock { $0.fileName = existing }
                    self.handle(.prepared(.skipped))
                }
                return
            case .resumable, .alreadyFinished:
                throw DownloadError(
                    .locked, "“\(suggested)” was begun by another process meanwhile. Run it again.",
                    recovery: .retryNow)
            }
            let files = try create(name, representation.total, locator)
            post {
                self.state.withLock { state in
                    state.files = files
                    state.fileName = name
                }
                self.handle(.prepared(.ready))
            }
        }
    }

    private func create(_ name: String, _ total: Int64?, _ locator: Locator) throws(DownloadError) -> PartialFiles {
        do throws(StorageError) {
            return try PartialFiles(
                creating: name, in: locator.directory, total: total, id: id, owner: doors.storage.owner)
        } catch where error.reason == .exists || error.reason == .busy {
            throw DownloadError(
                .locked,
                "Another process has just begun to download “\(name)” here. Wait for it, or choose another name with -o.",
                recovery: .retryAfter(nil))
        } catch {
            throw .storage(error, directory: locator.directory.path)
        }
    }

    private var facts: PartialFiles.Facts? {
        state.withLock { state in
            state.machine?.representation.map {
                PartialFiles.Facts(
                    url: spec.settings.url, representation: $0, digest: spec.settings.digest,
                    secondsSinceEpoch: doors.runtime.secondsSinceEpoch)
            }
        }
    }

    private func takeHashedBlocks(for files: PartialFiles) {
        for (_, writer) in state.withLock({ $0.writers.sorted { $0.key < $1.key } }) {
            files.journal.note(writer.takeHashedBlocks())
        }
    }

    private func checkpoint(_ ranges: RangeSet) {
        guard let files, let facts else { return }
        takeHashedBlocks(for: files)
        let runtime = doors.runtime
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            let begun = runtime.now
            try files.checkpoint(ranges, facts)
            let took = runtime.now - begun
            post { self.handle(.checkpointed(took: took)) }
        }
    }

    /// Never waits for a sync: that is what the soft record is for.
    private func jot(_ ranges: RangeSet) {
        guard let files, let facts else { return }
        takeHashedBlocks(for: files)
        doors.runtime.diskLane.submit { files.journal.jot(ranges, facts) }
    }

    private func setAside(keep: Bool) {
        guard let files else { return }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            let aside = try files.setAside(keep: keep)
            state.withLock { $0.aside = aside ?? $0.aside }
            post {
                self.state.withLock { $0.files = nil }
                self.handle(.setAside)
            }
        }
    }

    private func dropAside() {
        doors.runtime.syncLane.submit { [self] in
            let aside = state.withLock { state in
                defer { state.aside = nil }
                return state.aside
            }
            // What cannot be removed only takes up room.
            try? aside?.remove()
        }
    }

    private func refresh() {
        guard let refreshURL = listener.refreshURL else { return handle(.refreshed(nil)) }
        Task { [self] in
            let url = await refreshURL()
            post { self.handle(.refreshed(url)) }
        }
    }

    private func verify(_ digests: [Digest]) {
        guard let files, let facts, let total = facts.representation.total else { return }
        onDisk(orFail: { self.handle(.verified(.failed($0))) }) { [self] () throws(DownloadError) in
            let verification = try files.verify(digests, total: total, facts, factory: doors.digests)
            if case .damaged(let ranges) = verification { files.journal.forgetHashes(in: ranges) }
            post { self.handle(.verified(verification)) }
        }
    }

    private func finish() {
        guard let files, let facts, let total = facts.representation.total else { return }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            let name = try files.finish(facts, total: total, policy: spec.ifExists)
            post {
                self.state.withLock { $0.fileName = name }
                self.handle(.finished)
            }
        }
    }

    private func condemn() {
        guard let files else { return }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            try files.condemn()
            post { self.handle(.finished) }
        }
    }

    // MARK: Ending

    private func release() {
        let (machine, files, name) = state.withLock { ($0.machine, $0.files, $0.fileName) }
        guard let machine else { return }
        let facts = facts
        doors.runtime.syncLane.submit { [self] in
            if machine.storageHasFailed { files?.distrust(facts) }
            let phase = close(files, after: machine.phase)
            post { self.end(phase, name: name, representation: machine.representation) }
        }
    }

    private func close(
        _ files: PartialFiles?, after phase: DownloadMachine.Phase
    ) -> DownloadMachine.Phase {
        do throws(StorageError) {
            try files?.close()
            return phase
        } catch {
            // All that is claimed was synced before, so only a pause, which promises that, has something to take back (FAULTS D07).
            if case .paused = phase { return .failed(.storage(error)) }
            return phase
        }
    }

    private func end(_ phase: DownloadMachine.Phase, name: String?, representation: Representation? = nil) {
        let now = doors.runtime.now
        let (ending, last) = state.withLock { state -> (Ending?, DownloadProgress?) in
            guard !state.hasEnded else { return (nil, nil) }
            state.hasEnded = true
            state.tick?.cancel()
            state.tick = nil
            state.files = nil
            return (
                Ending(
                    phase: phase, directory: spec.directory, fileName: name,
                    total: representation?.total, representation: representation,
                    finalURL: state.machine?.currentURL ?? spec.settings.url, stored: state.machine?.written.count ?? 0),
                state.machine?.progress(at: now)
            )
        }
        if let last { listener.progress(last) }
        if let ending { listener.ended(ending) }
    }
}
