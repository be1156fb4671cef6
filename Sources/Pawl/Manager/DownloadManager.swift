public import PawlCore
package import PawlEngine
import Synchronization

/// A queue of downloads with limits, priorities and duplicate detection, which survives the program.
///
/// ```swift
/// let manager = try DownloadManager()
/// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
/// for await event in manager.events { print(event) }
/// ```
///
/// At most ``Configuration/maximumRunning`` run at once, and at most ``Configuration/maximumConnectionsPerHost``
/// connections are open to one host over all of them; small files may be allowed more
/// (``Configuration/maximumSmallFiles``). A download that cannot run says why
/// (``DownloadSnapshot/whyWaiting``). A host that is saturated, rests or fails keeps no other from running. Transient
/// failures are retried.
///
/// All calls may come from any thread or task, and return at once. Create one manager and reuse it; call ``shutdown()``
/// at the end.
public final class DownloadManager: Sendable {
    /// Settings for all downloads of a manager.
    ///
    /// ```swift
    /// var configuration = DownloadManager.Configuration()
    /// configuration.session = PlainFileSession("downloads.session")
    /// configuration.maximumRunning = 3
    /// let manager = try DownloadManager(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The number of downloads that run at once.
        public var maximumRunning = 5
        /// The most connections open to one host (host and port) at any moment, across all downloads.
        public var maximumConnectionsPerHost = 8
        /// The number of downloads that run at once while files are small (at most 1 MiB), if that is more than
        /// ``maximumRunning``; nil makes no difference between small and large ones.
        ///
        /// A small file takes as long as its answer is on the way. So once a host has served some small files in a row,
        /// its number is raised to 8, and doubled for as long as the rate grows by it, up to
        /// ``maximumSmallFilesPerHost``. A refusal by the host halves it, and a large file ends it. The first
        /// connection of each of these downloads does not count for ``maximumConnectionsPerHost``.
        ///
        /// ```swift
        /// var configuration = DownloadManager.Configuration()
        /// configuration.maximumSmallFiles = 64
        /// ```
        public var maximumSmallFiles: Int?
        /// The most connections open to one host while its files are small, all downloads included. It has no effect
        /// without ``maximumSmallFiles``.
        public var maximumSmallFilesPerHost = 32
        /// The number of times that a download is restarted automatically after a failure that may pass: with back-off,
        /// and counted from zero after progress. A failure that calls for another request, such as 404, is never
        /// retried.
        public var maximumRetries = 3
        /// The number of completed downloads that are remembered for ``DownloadManager/snapshots``, at least one; the
        /// oldest are forgotten first.
        public var maximumFinished = 1000
        /// Settings for each download: timeouts, certificates, addresses.
        public var downloader = Downloader.Configuration()
        /// The store of the list, which survives the program; nil keeps the list in memory alone. After a restart,
        /// downloads that were running run again, paused ones stay paused, and order, priorities and errors are
        /// restored.
        public var session: (any SessionStore)?
        /// Whether secrets of downloads are stored as well until they are completed: credentials in URLs, signed
        /// queries, header fields that may prove who asks. Otherwise such a download waits after a restart until it is
        /// added again with its full URL and fields. Only its owner can read the session file.
        public var storesSecrets = false
        /// Returns, before each run, the reason why nothing may be stored in its directory; nil lets it run.
        package var placeRefusal: (@Sendable (_ directory: String) -> DownloadError?)?
        /// The longest wait that a host may ask for; nil for an hour. Where nothing is restarted, its downloads fail in
        /// place of a longer one.
        package var maximumRetryAfter: Duration?
        /// Takes small files in place of their directories.
        package var receiver: (any FileReceiver)?
        /// Returns whether a download of the session is no longer wanted by anyone; it is paused then.
        package var holds: @Sendable (DownloadID) -> Bool = { _ in false }
        /// Whether the first in the queue of two downloads to one directory gets the name that both servers choose, and
        /// keeps it: the other does not replace its finished file.
        package var namesInOrder = false
        /// A small file that remembers hosts: how many connections they accept, whether their ranges work. Its
        /// directory must exist. Nil keeps this in memory only.
        public var hostMemoryPath: String?
        /// Called when a download is completed, on a thread of its own: it may block, and delays only the next such
        /// call.
        public var onCompleted: (@Sendable (DownloadID, DownloadResult) -> Void)?
        /// Called when a download has failed and will not be tried again by itself.
        public var onFailed: (@Sendable (DownloadID, DownloadError) -> Void)?

        public init() {}
    }

    /// The treatment of a request whose target another download has, also if that is known only once the server has
    /// named the file.
    public enum DuplicatePolicy: Hashable, Sendable {
        /// Throw ``DownloadError/Code/locked``.
        case fail
        /// Take the next free name, `file (1).iso`.
        case rename
    }

    let pool: DownloadPool
    let requests: RequestRunner
    package let downloader: Downloader
    private let ending = Locked<Task<Void, Never>?>(nil)

    /// - Throws: ``DownloadError/Code/invalidArgument`` when something of the configuration cannot be used.
    public init(configuration: Configuration = Configuration()) throws(DownloadError) {
        var limits = QueueMachine.Limits()
        limits.maximumRunning = try Self.checked(configuration.maximumRunning, "downloads at once")
        limits.connectionsPerHost = try Self.checked(configuration.maximumConnectionsPerHost, "connections per host")
        if let count = configuration.maximumSmallFiles {
            limits.maximumSmallFiles = try Self.checked(count, "small files at once")
            limits.smallFilesPerHost = try Self.checked(configuration.maximumSmallFilesPerHost, "small files per host")
        }
        limits.requestRatePerHost = configuration.downloader.requestRatePerHost
        limits.maximumRetries = max(0, configuration.maximumRetries)
        if let wait = configuration.maximumRetryAfter { limits.retry.maximumRetryAfter = wait }
        limits.maximumFinished = max(1, configuration.maximumFinished)
        downloader = try Downloader(configuration: configuration.downloader)
        requests = RequestRunner(
            downloader, storesSecrets: configuration.storesSecrets, placeRefusal: configuration.placeRefusal,
            receiver: configuration.receiver)
        var hooks = DownloadPool.Hooks()
        if let completed = configuration.onCompleted {
            hooks.completed = { id, facts, directory in completed(id, DownloadResult(facts, in: directory)) }
        }
        hooks.failed = configuration.onFailed
        let pool = DownloadPool(
            ports: downloader.ports, runner: requests, limits: limits, hooks: hooks,
            namesInOrder: configuration.namesInOrder)
        self.pool = pool
        let memory = configuration.hostMemoryPath.map { HostMemoryFile(path: $0) }
        do throws(DownloadError) {
            try pool.restore(from: configuration.session, memory: memory, holds: configuration.holds)
        } catch {
            let downloader = downloader
            Task { await downloader.shutdown() }
            throw error
        }
    }

    private static func checked(_ count: Int, _ what: String) throws(DownloadError) -> Int {
        guard count > 0 else { throw .argument("\(count) \(what): at least one is needed.") }
        return count
    }

    /// Stops what runs, keeping all that was received, and ends connections and threads. Sequences of ``events`` end;
    /// those who wait for a ``result(of:)`` hear `CancellationError`. Whoever calls it while it is under way waits for
    /// the same end.
    public func shutdown() async {
        let task = ending.withLock { ending in
            let task =
                ending
                ?? Task { [pool, downloader, requests] in
                    await pool.shutdown()
                    requests.forgetWorks()
                    await downloader.shutdown()
                }
            ending = task
            return task
        }
        await task.value
    }

    // MARK: Adding

    /// Adds a download at the end of the queue of its priority. The same request (URL, header fields, user, parts) to
    /// the same target as one that is there already is that one, provided that both ask for the same checks and limits:
    /// its id is returned. One that is completed or has failed can be asked for again, and is a new download then.
    ///
    /// A download that the session kept without its secrets gets them from the request that it was added with, given
    /// again. It then has the priority of that request, and waits or runs as that asks.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(
    ///     DownloadRequest("https://example.org/disk.iso", in: "Downloads"), priority: 10, onDuplicate: .rename)
    /// print(manager.snapshot(id)?.state ?? .queued)
    /// ```
    ///
    /// - Parameters:
    ///   - request: what to download, and where to.
    ///   - priority: higher ones run first.
    ///   - isPaused: it waits for ``resume(_:)``.
    ///   - onDuplicate: for a target that another request is being downloaded to.
    /// - Throws: ``DownloadError``, before anything is touched: `invalidURL`, `invalidArgument`, or `locked` for a
    ///   target that is taken and after ``shutdown()``.
    @discardableResult
    public func add(
        _ request: DownloadRequest, priority: Int = 0, isPaused: Bool = false, onDuplicate: DuplicatePolicy = .fail
    ) throws(DownloadError) -> DownloadID {
        try add(request, priority: priority, isPaused: isPaused, onDuplicate: onDuplicate, markerNumber: nil)
    }

    /// - Parameters:
    ///   - markerNumber: of the download whose place it takes: what that has stored is its own.
    ///   - mayServe: whether a download that there is may be the one that is asked for.
    package func add(
        _ request: DownloadRequest, priority: Int, isPaused: Bool, onDuplicate: DuplicatePolicy, markerNumber: UInt64?,
        mayServe: (DownloadID) -> Bool = { _ in true }
    ) throws(DownloadError) -> DownloadID {
        var plan = try downloader.resolved(request)
        plan.markerNumber = markerNumber
        return try add(
            plan, refreshURL: request.refreshURL,
            DownloadPool.Joining(priority: Int32(clamping: priority), isPaused: isPaused), onDuplicate: onDuplicate,
            mayServe: mayServe)
    }

    /// - Parameter added: called with the id of a new download, before anything can happen to it. It must not call
    ///   back.
    package func add(
        _ asked: Plan, refreshURL: (@Sendable () async -> String?)? = nil, _ joining: DownloadPool.Joining,
        onDuplicate: DuplicatePolicy, mayServe: (DownloadID) -> Bool = { _ in true },
        added: (DownloadID) -> Void = { _ in }
    ) throws(DownloadError) -> DownloadID {
        var plan = asked
        plan.renamesTaken = onDuplicate == .rename
        var target = requests.target(of: plan, named: plan.fileName)
        func supply(_ ids: [DownloadID]) -> DownloadID? {
            let isSame: (UInt64, [UInt8]) -> Bool = { [requests, plan] in requests.isSame(plan, salt: $0, hash: $1) }
            guard let id = pool.lacking(among: ids, isSame: isSame), mayServe(id) else { return nil }
            return pool.supply(
                [id], with: plan, target: target, priority: joining.priority, isPaused: joining.isPaused,
                isSame: isSame,
                register: { requests.register(plan, refreshURL, supplying: $0) })
        }
        if plan.fileName == nil, let id = supply(requests.lacking(plan)) { return id }
        for number in 1...FileName.maximumAttempts {
            let added = pool.add(plan, target: target, joining) {
                requests.register(refreshURL, for: $0)
                added($0)
            }
            switch added {
            case .new(let id): return id
            case .shutDown: throw Self.shutDown
            case .taken(let holder):
                let isLeaving = pool.isBeingRemoved(holder.id)
                let isAsked = !isLeaving && requests.canServe(holder, asked)
                if isAsked, mayServe(holder.id) { return holder.id }
                if !isLeaving, requests.mayBe(holder, asked) {
                    if let id = supply([holder.id]) { return id }
                    // Another call has supplied it meanwhile, so that all of it can be compared.
                    if pool.entry(holder.id)?.lacksSecrets != true { continue }
                }
                if isAsked, onDuplicate == .rename, asked.fileName == nil {
                    // Only the server knows the name that is taken.
                    target = downloader.ports.runtime.random()
                    continue
                }
                let wanted = plan.fileName ?? plan.settings.url.redacted
                guard onDuplicate == .rename, let name = asked.fileName else {
                    throw isLeaving ? .leaving(wanted) : taken(by: holder, wanted, asked)
                }
                plan.fileName = FileName.renamed(name, attempt: number)
                target = requests.target(of: plan, named: plan.fileName)
            }
        }
        throw .argument("No free name like “\(asked.fileName ?? asked.settings.url.redacted)” is left.")
    }

    private static var shutDown: DownloadError { .argument("This manager has been shut down. Create another.") }

    private func taken(by holder: QueueEntry, _ wanted: String, _ asked: Plan) -> DownloadError {
        .taken(
            wanted: wanted, by: holder,
            isSame: !holder.lacksSecrets
                && requests.plan(of: holder).settings.identity == asked.settings.identity)
    }

    /// Adds many in their order. One that cannot be added does not keep the others from it.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let requests = (1...3).map { DownloadRequest("https://example.org/part-\($0).zip", in: "Downloads") }
    /// for case .failure(let error) in manager.add(requests) { print(error.message) }
    /// ```
    public func add(
        _ requests: [DownloadRequest], priority: Int = 0, isPaused: Bool = false, onDuplicate: DuplicatePolicy = .fail
    ) -> [Result<DownloadID, DownloadError>] {
        requests.map { request in
            Result { () throws(DownloadError) in
                try add(request, priority: priority, isPaused: isPaused, onDuplicate: onDuplicate)
            }
        }
    }

    /// Saves the list as it stands. Changes are saved by themselves within a second; this waits until they are durable.
    ///
    /// - Returns: false when it could not be saved, which ``events`` tell the reason of; it is tried again by itself.
    ///   After ``shutdown()``, whether that has saved all.
    @discardableResult
    public func saveSession() async -> Bool { await pool.saveSession() }

    // MARK: Limits

    /// The number of downloads that run at once. If it is lowered, the last ones in order stop and come back in their
    /// turn.
    public var maximumRunning: Int {
        get { pool.limits.maximumRunning }
        set { pool.setMaximumRunning(newValue) }
    }

    /// The number of connections open to one host. If it is lowered, downloads with several give some up at once; no
    /// new one is opened above it.
    public var maximumConnectionsPerHost: Int {
        get { pool.limits.connectionsPerHost }
        set { pool.setConnectionsPerHost(newValue) }
    }

    /// Limits the speed of all downloads together from now on: by a rate, or by a timetable in local time. Running
    /// downloads share it equally, and what one leaves unused goes to the others. `SpeedSchedule(bytesPerSecond: nil)`
    /// lifts the limit. It holds until the end of the manager: ``Downloader/Configuration/speedLimit`` is what it
    /// begins with.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: 2 << 20))
    /// ```
    public func setSpeedLimit(_ limit: SpeedSchedule) { downloader.setSpeedLimit(limit) }

    // MARK: Looking

    /// See ``add(_:priority:isPaused:onDuplicate:markerNumber:)``.
    package func markerNumber(of id: DownloadID) -> UInt64? {
        pool.entry(id).flatMap { $0.markerNumber == 0 ? nil : $0.markerNumber }
    }

    /// Whether a download is paused; costs much less than a snapshot.
    package func isPaused(_ id: DownloadID) -> Bool { if case .paused = pool.state(of: id) { true } else { false } }

    /// Returns the current state of a download; nil if there is none (any more) with this id.
    public func snapshot(_ id: DownloadID) -> DownloadSnapshot? {
        pool.snapshot(id).map { DownloadSnapshot($0, wallClock: LiveRuntime.wallClockSeconds) }
    }

    /// All downloads: unfinished ones in their order, then the completed ones, oldest first.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// for snapshot in manager.snapshots {
    ///     print(snapshot.fileName ?? snapshot.url, snapshot.whyWaiting ?? "", snapshot.progress.bytesStored)
    /// }
    /// ```
    public var snapshots: [DownloadSnapshot] {
        let now = LiveRuntime.wallClockSeconds
        return pool.snapshots.map { DownloadSnapshot($0, wallClock: now) }
    }

    /// The hosts that queued downloads wait for, each with the number of these.
    package var hostObstacles: [(reason: DownloadState.Wait, count: Int)] {
        let now = downloader.ports.runtime.now
        return pool.obstacles.map { (DownloadState.Wait($0.obstacle, of: $0.host, at: now), $0.count) }
    }

    /// Whether a download was removed and its files are still being deleted.
    package func isBeingRemoved(_ id: DownloadID) -> Bool { pool.isBeingRemoved(id) }

    /// Probes a server with the settings, connections and limits of the manager's downloads.
    package func probe(_ request: DownloadRequest) async throws(DownloadError) -> ProbeReport {
        try await downloader.probe(request)
    }

    /// Ids up to this one are not given any more by this manager: somebody else remembers them.
    package func reserveIDs(upTo id: DownloadID) { pool.reserveIDs(upTo: id) }

    /// Takes a restored download for completed, as somebody knows who was told so before the session was saved.
    package func conclude(_ id: DownloadID, _ facts: FinishedFacts) { pool.conclude(id, facts) }

    /// Restores the place of a download from an earlier session.
    package func put(_ id: DownloadID, at place: (priority: Int32, rank: Int64)) {
        pool.put(id, priority: place.priority, position: place.rank)
    }

    /// Returns the place of a download in the queue: by priority, higher first, then by rank, lower first; nil for an
    /// id that is not there (any more).
    package func place(of id: DownloadID) -> (priority: Int32, rank: Int64)? {
        pool.entry(id).map { ($0.priority, $0.position) }
    }

    /// The same order, without what costs more.
    public var ids: [DownloadID] { pool.ids }

    /// The downloads as they stand, and then what happens to them. Each use makes a new reader, which slows nobody
    /// down.
    ///
    /// A reader begins with ``Event/changed(_:)`` for each download that ``snapshots`` lists, followed by its
    /// ``Event/completed(_:_:)`` or ``Event/failed(_:_:)`` if it has ended. So it makes no difference whether a reader
    /// begins before or after ``add(_:priority:isPaused:onDuplicate:)->DownloadID``.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// for await event in manager.events {
    ///     switch event {
    ///     case .changed(let snapshot): print(snapshot.id, snapshot.progress.fractionCompleted ?? 0)
    ///     case .completed(_, let file): print("Completed:", file.path)
    ///     case .failed(_, let error): print(error.message)
    ///     default: break
    ///     }
    /// }
    /// ```
    public var events: Events { Events(manager: self, reader: pool.makeReader()) }

    /// Events from now on only, for a caller that has looked at each download.
    package var laterEvents: Events { Events(manager: self, reader: pool.makeLaterReader()) }

    /// Tells `follower` of one download from now on, as the pool does.
    package func follow(_ id: DownloadID, _ follower: any PoolFollower) -> DownloadPool.Following {
        pool.follow(id, follower)
    }

    package func unfollow(_ id: DownloadID) { pool.unfollow(id) }

    /// Returns the state of a download, without what costs more; nil for an id that is not there (any more).
    package func state(of id: DownloadID) -> QueueEntry.State? { pool.state(of: id) }

    /// Adds work that is none of a download's, so that it has a place in the queue and counts for its limits: it shares
    /// its target with no other. Whoever adds it removes it again, and no session can restore it.
    ///
    /// - Parameters:
    ///   - plan: the URL that the work begins with, and its directory.
    ///   - position: among others; as for downloads.
    ///   - added: called with the id before anything can happen to it. It must not call back.
    package func add(
        _ plan: Plan, position: Int64, follower: any PoolFollower, running work: @escaping QueuedWork,
        added: (DownloadID) -> Void
    ) throws(DownloadError) {
        var joining = DownloadPool.Joining(position: position, follower: follower)
        joining.countedSize = QueueTurn.countedSize
        while true {
            let new = pool.add(plan, target: downloader.ports.runtime.random(), joining) {
                requests.register(work, for: $0)
                added($0)
            }
            switch new {
            case .new: return
            case .taken: continue
            case .shutDown: throw Self.shutDown
            }
        }
    }

    /// Waits until the download is completed, through pauses and retries. Any number of tasks may wait.
    ///
    /// Cancelling a task that waits ends its own wait and leaves the download alone. ``remove(_:deletingFiles:)``
    /// cancels a download.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// let file = try await manager.result(of: id)
    /// print(file.path)
    /// ```
    ///
    /// - Throws: the ``DownloadError`` that it failed with for good; ``DownloadError/Code/unknownDownload`` for an id
    ///   that was never given; `CancellationError` when it was removed, when the manager was shut down, and when the
    ///   task is cancelled.
    public func result(of id: DownloadID) async throws -> DownloadResult {
        guard pool.hasGiven(id) else { throw DownloadError.unknown(id) }
        let directory = pool.entry(id)?.directory ?? ""
        switch await pool.end(of: id) {
        case .completed(let facts): return DownloadResult(facts, in: directory)
        case .failed(let error): throw error
        case .removed, nil: throw CancellationError()
        }
    }

    /// The handle of one that runs now: for its own ``Download/progress`` and ``Download/notices``. Nil while it does
    /// not run, and for a small file that is whole and about to end.
    ///
    /// The manager holds the download: cancelling a task that waits for its ``Download/result()`` does not cancel it.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// if let download = manager.download(id) {
    ///     for await progress in download.progress { print(progress.bytesStored) }
    /// }
    /// ```
    public func download(_ id: DownloadID) -> Download? { requests.running(id) }
}
