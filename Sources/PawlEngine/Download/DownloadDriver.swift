package import PawlCore
import Synchronization

/// Drives one download: hands events to the machine, one at a time, and performs what it answers.
///
/// Everything here happens on one control executor and takes no decision of its own. The lock is held only while the
/// machine thinks; the actions are performed after it is released.
package final class DownloadDriver: Sendable {
    package struct Ending: Sendable {
        package var phase: DownloadMachine.Phase
        package var directory: String
        /// The final name, or the one it would have had.
        package var fileName: String?
        package var total: Int64?
        package var representation: Representation?
        /// The first accepted response of this run.
        package var response: ResponseFacts?
        /// The digest of the file, as it was found to match, or computed.
        package var digest: Digest?
        package var finalURL: HTTPURL
        /// The URLs that bytes came from in this run.
        package var sources: [HTTPURL]
        package var stored: Int64
        /// Bytes of an earlier run that the file was completed from.
        package var resumedFrom: Int64 = 0
        /// The trace of the finished file; nil if this run did not finish it.
        package var trace: FileTrace?

        /// The end of a run that stores nothing of what it brought.
        package static func paused(_ plan: Plan) -> Ending {
            Ending(
                phase: .paused, directory: plan.directory, finalURL: plan.settings.url, sources: [], stored: 0)
        }
    }

    /// The hashes of a URL and of the caller's identity, as a journal stores them.
    struct JournalHashes {
        let url: URLHash
        let identity: [UInt8]?
    }

    struct State {
        var machine: DownloadMachine?
        /// The machine's latest description of the current file.
        var description: IdentifiedFile?
        /// The hashes for the current URL and journal; cached, since they cost a digest and each record needs them.
        var hashes: (journal: [UInt8], url: HTTPURL, hashes: JournalHashes)?
        var files: PartialFiles?
        var inspection: TargetInspection?
        var writers: [ExchangeID: SegmentWriter] = [:]
        var setAsideFile: PartialFiles.Aside?
        /// An earlier run's file that was set aside although none of it was useful.
        var unusedSetAsideFile: PartialFiles.Aside?
        /// The sync executor has, or has had, work besides that on the files.
        var hasSetAside = false
        /// The files are finished and closed.
        var isClosed = false
        /// The trace of the finished file.
        var trace: FileTrace?
        /// An earlier process has finished this very download.
        var finishedBefore: DownloadMachine.Summary?
        /// Fixed by the first answer, or by the caller (FAULTS M12).
        var fileName: String?
        var permits = Permits()
        var tick: (any ScheduledWork)?
        var ticks = 0
        /// The files are being closed: none is prepared any more.
        var isReleased = false
        var hasEnded = false
        var cookies = CookieState()
        /// A pause or cancel that arrived before the machine existed.
        var interruption: DownloadEvent?
        /// An exchange that is under way, for the machine's first request.
        var handover: Handover?
    }

    let plan: Plan
    let ports: Ports
    let listener: any RunListener
    /// For logs and metrics; usually nil, so that nothing is prepared for one.
    let observer: (any DownloadObserver)?
    /// A fresh URL for one that has expired; nil when there is none.
    let refreshURL: (@Sendable () async -> HTTPURL?)?
    let executor: any WorkExecutor
    let syncExecutor: any WorkExecutor
    let pool: BufferPool
    /// The limit of this download alone, beneath the one it shares with others. It may be changed at any time.
    package let limiter: SpeedLimiter
    let id: [UInt8]
    let state = Locked(State())
    let networkWatch = NetworkWatch()

    private static let flushEvery = 10
    /// The clock continues while the computer sleeps, and timers may not: long waits are checked now and then.
    private static let maximumTimer: Duration = .seconds(10)

    /// - Parameter handover: an exchange that is under way with the request that the machine will begin with.
    package init(
        _ plan: Plan, ports: Ports, listener: any RunListener, observer: (any DownloadObserver)? = nil,
        refreshURL: (@Sendable () async -> HTTPURL?)? = nil, takingOver handover: Handover? = nil
    ) {
        self.plan = plan
        self.ports = ports
        (self.listener, self.observer, self.refreshURL) = (listener, observer, refreshURL)
        let runtime = ports.runtime
        executor = runtime.makeControlExecutor()
        syncExecutor = runtime.makeSyncExecutor()
        pool = BufferPool(ports.buffers, connections: plan.settings.maximumConnections)
        limiter = SpeedLimiter(bytesPerSecond: plan.maximumBytesPerSecond, parent: plan.limiter, runtime: runtime)
        id = JournalRecord.newID(markerNumber: plan.markerNumber, runtime)
        state.withLock { $0.handover = handover }
    }

    // MARK: Told by the owner

    package func start() {
        if TargetInspection.findsNothing(plan, ports) {
            return post { self.begin(.nothing, files: nil, name: nil, nil, nil) }
        }
        onDisk(orFail: { self.fail($0) }) { [self] () throws(DownloadError) in
            let inspection = try TargetInspection(plan, ports, newID: id)
            let found = try inspection.locate()
            switch found {
            case .alreadyFinished(let name, _): noteTrace(of: name, inspection)
            case .finishedBefore(let name, let marker): noteFinished(name, marker, inspection)
            case .fresh, .skipped, .resumable: break
            }
            let version = plan.onlyIfNewer ? try inspection.version(of: inspection.presumedName) : nil
            post { self.located(found, inspection, version) }
        }
    }

    /// Notes which file an earlier process has finished.
    private func noteTrace(of name: String, _ inspection: TargetInspection) {
        let status = (try? inspection.directory.status(name)) ?? nil
        ports.finished.note(status?.identity, as: name)
        state.withLock { $0.trace = status.map(FileTrace.init) }
    }

    /// Notes the same, and what the marker says of it.
    func noteFinished(_ name: String, _ marker: CompletionMarker, _ inspection: TargetInspection) {
        noteTrace(of: name, inspection)
        let (isComplete, isVerified) = (marker.isComplete, marker.isVerified)
        let summary = DownloadMachine.Summary.finished(
            size: marker.size, isComplete: isComplete, isVerified: isVerified, plan.settings)
        state.withLock { $0.finishedBefore = summary }
    }

    /// Saves what is held and ends in `paused`.
    package func pause() { post { self.interrupt(.pause) } }

    /// Ends in `cancelled`; what is held is saved all the same, for a later run.
    package func cancel() { post { self.interrupt(.cancel) } }

    /// Notes the number of bytes that the reader of a stream has taken in all.
    package func consumed(_ count: Int64) { post { self.handle(.consumed(count)) } }

    private func interrupt(_ event: DownloadEvent) {
        let hasMachine = state.withLock { state in
            state.interruption = event
            return state.machine != nil
        }
        if hasMachine { handle(event) }
    }

    // MARK: Executors

    func post(_ work: @escaping @Sendable () -> Void) { executor.submit(work) }

    /// Work on files, in order, off the control executor.
    func onDisk(
        orFail failed: @escaping @Sendable (DownloadError) -> Void,
        _ work: @escaping @Sendable () throws(DownloadError) -> Void
    ) {
        syncExecutor.submit { [self] in
            do throws(DownloadError) {
                try work()
            } catch {
                post { failed(error) }
            }
        }
    }

    // MARK: Beginning

    private func located(_ found: TargetInspection.Found, _ inspection: TargetInspection, _ version: TargetVersion?) {
        report(inspection.leftover)
        switch found {
        case .fresh(let name):
            begin(.nothing, files: nil, name: name, inspection, version)
        case .resumable(let files, let recovered):
            begin(recovered, files: files, name: files.names.target, inspection, version)
        case .skipped(let name, let size):
            var summary = DownloadMachine.Summary.skipped(plan.settings)
            summary.total = size
            compare(summary, name)
        case .finishedBefore(let name, _): compare(.skipped(plan.settings), name)
        case .alreadyFinished(let name, let record):
            end(.finished(record.representation, isVerified: record.hasDigest, plan.settings), name: name)
        }
    }

    private func compare(_ summary: DownloadMachine.Summary, _ name: String) {
        syncExecutor.submit { [self] in
            let summary = compared(summary, name)
            post { self.end(summary, name: name) }
        }
    }

    /// A partial file without a journal was set aside.
    func report(_ leftover: Leftover) {
        if let keeping = leftover.takeNews() { listener.reported(.startedOver(keeping: keeping)) }
    }

    private func begin(
        _ recovered: DownloadMachine.Recovered, files: PartialFiles?, name: String?, _ inspection: TargetInspection?,
        _ version: TargetVersion?
    ) {
        var settings = plan.settings
        settings.seed = ports.runtime.random()
        settings.targetVersion = version
        settings.canRefresh = refreshURL != nil
        settings.epochAtZero = ports.runtime.secondsSinceEpoch - ports.runtime.now.nanoseconds / 1_000_000_000
        let digests = ports.digests
        let machine = DownloadMachine(
            settings: settings, recovered: recovered, hash: { algorithm, bytes in digests.digest(algorithm, of: bytes) }
        )
        let interruption = state.withLock { state in
            state.machine = machine
            state.files = files
            state.fileName = name
            state.inspection = inspection
            return state.interruption
        }
        if let files { ports.journals.hold(files.names.journal, in: plan.directory) }
        // One that resumes has a name before its server is asked.
        if files != nil, let name { listener.named(name) }
        enterGate()
        let relay = state.withLock { $0.handover?.relay }
        // A pause that came first only has to be acknowledged.
        if let interruption {
            handle(interruption)
        } else if let relay {
            handle(.begin)
            // A timetable pauses behind what has come, which is kept.
            relay.whenCaughtUp { [self] in post { self.handle(.timetable(self.ports.gate.pause)) } }
        } else {
            handle([.timetable(ports.gate.pause), .begin])
        }
        // By now it is asked for, or it never is: an answer that waited for a pause to end would be old.
        takeHandover().map(drop)
    }

    private func fail(_ error: DownloadError) { end(.failed(error, plan.settings), name: plan.fileName) }

    // MARK: The machine

    @discardableResult
    func handle(_ event: DownloadEvent) -> [DownloadAction] { handle([event]) }

    @discardableResult
    private func handle(_ events: [DownloadEvent]) -> [DownloadAction] {
        let now = ports.runtime.now
        let all = sharedCookies() + events
        guard let reaction = state.withLock({ $0.machine?.react(to: all, at: now) }) else { return [] }
        for event in events { observe(event, reaction, at: now) }
        for action in reaction.actions { perform(action) }
        if let progress = reaction.progress { publish(progress) }
        if let next = reaction.nextEvent { scheduleTick(before: next, now: now) }
        return reaction.actions
    }

    private func publish(_ progress: DownloadProgress) {
        var progress = progress
        if !(files?.floor.isLifted ?? false), let total = progress.totalBytes {
            progress.bytesUnreserved = max(0, total - progress.bytesStored)
        }
        listener.progressed(progress)
        if plan.isExtra { countIfLarge(progress) }
    }

    private func scheduleTick(before next: Instant, now: Instant) {
        guard state.withLock({ $0.tick == nil }) else { return }
        let wait = min(max(next - now, .zero), Self.maximumTimer)
        let tick = ports.runtime.schedule(after: wait, on: executor) { self.ticked() }
        state.withLock { $0.tick = tick }
    }

    private func ticked() {
        let (writers, isFlush) = state.withLock { state -> ([(ExchangeID, SegmentWriter)], Bool) in
            state.tick = nil
            state.ticks += 1
            return (state.writers.sorted { $0.key < $1.key }, state.ticks % Self.flushEvery == 0)
        }
        let advances = writers.map { id, writer in
            if isFlush { writer.flush() }
            let counters = writer.counters
            return DownloadEvent.advanced(
                id, stored: counters.stored, received: counters.received, isHeldByUs: counters.isHeldByUs)
        }
        handle(advances + [.tick])
    }

    // MARK: Ending

    func release(_ summary: DownloadMachine.Summary) {
        let (known, inspection) = state.withLock { state in
            state.isReleased = true
            return (state.fileName, state.inspection)
        }
        let name = summary.fileName(known: known, presumed: inspection?.presumedName)
        if state.withLock({ $0.isClosed && !$0.hasSetAside }) { return end(summary, name: name) }
        let facts = facts
        syncExecutor.submit { [self] in
            // Also those that were just being prepared.
            let files = files
            if summary.storageHasFailed { files?.distrust(facts) }
            if summary.stored == 0 { files?.removeUnused() }
            let last = compared(close(files, before: summary), name)
            if let files {
                ports.journals.leave(files.names.journal, in: plan.directory)
                ports.desk.note([files.names.partial, files.names.journal], in: plan.directory)
            }
            post { self.end(last, name: name) }
        }
    }

    /// An existing file that is left as it is still has to match the caller's digest, and so has the one that an
    /// earlier process has made of this very download: it may have been asked for by another digest.
    func compared(_ summary: DownloadMachine.Summary, _ name: String?) -> DownloadMachine.Summary {
        guard summary.phase.isSkipped else { return summary }
        let finished = state.withLock { $0.finishedBefore }
        guard let expected = plan.settings.digest, let name else { return finished ?? summary }
        var summary = summary
        do throws(StorageError) {
            let file = try ports.storage.openDirectory(plan.directory).open(name, writable: false)
            defer { try? file.close() }
            let size = try file.status().size
            post { self.listener.progressed(DownloadProgress(state: .running(.verifying), totalBytes: size)) }
            var digester = try ports.digests.makeDigester(expected.algorithm)
            let buffer = WriteBuffer(capacity: 1 << 20)
            for start in stride(from: 0, to: size, by: 64 << 20) {
                if let interruption = state.withLock({ $0.interruption }) {
                    summary.noteInterruption(interruption)
                    return summary
                }
                try file.scan(ByteRange(start..<min(size, start + 64 << 20)), buffer) { bytes, _ in
                    digester.update(bytes)
                }
            }
            summary.noteDigest(
                digester.finalize(), of: name, expected: expected, finished == nil ? plan.existingFilePolicy : .skip)
            if case .completed = summary.phase, let finished { return finished.verified(by: expected) }
        } catch {
            summary.noteUnreadable(name, in: plan.directory, error)
        }
        return summary
    }

    private func close(_ files: PartialFiles?, before summary: DownloadMachine.Summary) -> DownloadMachine.Summary {
        var summary = summary
        do throws(StorageError) {
            try files?.close()
        } catch {
            summary.noteUnclosed(error)
        }
        return summary
    }

    private func end(_ summary: DownloadMachine.Summary, name: String?) {
        let found = state.withLock { state -> Ending? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            state.tick?.cancel()
            state.tick = nil
            state.files = nil
            return Ending(
                phase: summary.phase, directory: plan.directory, fileName: name, total: summary.total,
                representation: summary.representation, response: summary.response, digest: summary.digest,
                finalURL: summary.finalURL, sources: summary.sources, stored: summary.stored,
                resumedFrom: summary.resumedFrom, trace: state.trace)
        }
        takeHandover().map(drop)
        leaveGate()
        guard let ending = found else { return }
        networkWatch.end()
        if case .completed(let outcome) = summary.phase, let reason = outcome.skipReason {
            listener.reported(.skipped(reason))
        }
        if let last = summary.progress { listener.progressed(last) }
        listener.ended(ending)
    }
}
