package import PawlCore
package import PawlEngine
import Synchronization

/// Makes drivers for a simulated pool from queue entries alone.
package final class SimulatedRunner: DownloadRunner {
    private let ports: Ports
    private let configure: @Sendable (inout Plan) -> Void
    /// Draws the moments at which small files leave the short way.
    private let interruptions: Locked<SplitMix64?>
    private let small = Locked(Small())

    private struct Small {
        var running: Set<DownloadID> = []
        var finished = 0
    }

    /// - Parameter seed: small files leave the short way at any moment; nil: only where they must.
    package init(
        _ ports: Ports, interruptsSmall seed: UInt64? = nil,
        configure: @escaping @Sendable (inout Plan) -> Void = { _ in }
    ) {
        self.ports = ports
        self.configure = configure
        interruptions = Locked(seed.map { SplitMix64(seed: $0) })
    }

    /// The number of files that were begun and ended on the short way.
    package var finishedSmall: Int { small.withLock { $0.finished } }

    package static func target(_ directory: String, _ name: String) -> UInt64 {
        Array((directory + "/" + name).utf8).withUnsafeBytes { XXHash64.hash($0) }
    }

    package func plan(of entry: QueueEntry) -> Plan {
        var plan = Plan(entry.url, in: entry.directory)
        plan.settings.smallestPiece = 4096
        plan.stallTimeout = .seconds(5)
        plan.maximumConnections = 4
        configure(&plan)
        return plan
    }

    package func begin(
        _ id: DownloadID, _ plan: Plan, _ listener: any RunListener
    ) throws(DownloadError) -> any RunningDownload {
        let run = SmallRun(plan, ports: ports, listener: listener) { [self] handover in
            _ = small.withLock { $0.running.remove(id) }
            return .success(drive(plan, listener, takingOver: handover))
        }
        guard let run else { return drive(plan, listener) }
        _ = small.withLock { $0.running.insert(id) }
        run.start()
        if let number = interruptions.withLock({ $0?.next() }) {
            let delay = Duration.milliseconds(Int64(number % 120))
            _ = ports.runtime.schedule(after: delay, on: ports.runtime.makeControlExecutor()) { run.giveWay() }
        }
        return run
    }

    package func ended(_ id: DownloadID) {
        small.withLock { small in if small.running.remove(id) != nil { small.finished += 1 } }
    }

    private func drive(
        _ plan: Plan, _ listener: any RunListener, takingOver handover: Handover? = nil
    ) -> DownloadDriver {
        let driver = DownloadDriver(plan, ports: ports, listener: listener, takingOver: handover)
        driver.start()
        return driver
    }

    package func forget(_ id: DownloadID) {}

    package func target(of entry: QueueEntry, named name: String) -> UInt64? { Self.target(entry.directory, name) }

    package func store(_ entry: QueueEntry) -> StoredDownload { StoredDownload(entry: entry) }

    package func restore(_ download: StoredDownload) throws(DownloadError) -> QueueEntry {
        var entry = download.entry
        entry.host = entry.url.hostKey
        entry.target = Self.target(
            entry.directory, entry.isNameGiven ? entry.fileName ?? "" : "\0" + entry.url.serialized)
        if !entry.isNameGiven, let name = entry.fileName { entry.claimed = Self.target(entry.directory, name) }
        return entry
    }
}

/// One seed: a thousand downloads from twenty hosts, some of them dead, perhaps with a mirror, slow, busy, short of
/// connections or ignorant of ranges, on a disk that is full for a while. A user pauses and moves downloads, and the
/// program is killed, loses power and restarts with its session. The limits are checked whenever an exchange opens, the
/// files at the end.
package struct ManagerSimulation {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Summary: Sendable {
        package var completed = 0
        package var failed = 0
        package var removed = 0
        package var lives = 0
        package var requests = 0
        /// The most connections to a host beyond the limit for ordinary downloads.
        package var mostExtra = 0
        package var seconds = 0.0
    }

    private static let directory = "/d"
    private let count: Int
    private var random: SplitMix64
    private let seed: UInt64
    private let maximumRunning: Int
    private let perHost: Int
    /// The same while files are small; zero: no difference.
    private let maximumSmallFiles: Int
    private let smallFilesPerHost: Int
    /// Requests a second; zero: no limit.
    private let requestRate: Int
    private var origins: [String: SimulatedOrigin] = [:]
    private var dead: Set<String> = []
    /// The hosts that have the files of dead ones, too.
    private var mirrors: [String: String] = [:]
    private let disk: SimulatedDisk
    private var now = Instant.zero
    private var added: [String: String] = [:]
    private var summary = Summary()

    package init(seed: UInt64, count: Int = 1000, hosts: Int = 20) {
        self.seed = seed
        self.count = count
        random = SplitMix64(seed: seed)
        maximumRunning = 2 + Int(random.next() % 7)
        perHost = 1 + Int(random.next() % 8)
        maximumSmallFiles = random.next() % 3 == 0 ? 0 : maximumRunning + Int(random.next() % 40)
        smallFilesPerHost = maximumSmallFiles == 0 ? 0 : perHost + Int(random.next() % 24)
        requestRate = random.next() % 4 == 0 ? [1, 10, 40][Int(random.next() % 3)] : 0
        disk = SimulatedDisk(seed: random.next(), capacity: 1 << 30)
        // Every other disk has no attributes, so that journals stand for completion markers.
        disk.features.hasMarks = seed % 2 == 0
        disk.makeDirectory(Self.directory)
        disk.makeDirectory("/session")
        for number in 0..<hosts { makeHost(number) }
        // Each redirect leads to another name, under which nobody finds again what a kill has left.
        let candidates = origins.filter { $0.value.redirects == 0 }.keys.sorted()
        guard seed % 3 == 2, !candidates.isEmpty else { return }
        for host in dead.sorted() { mirrors[host] = candidates[pick(candidates.count)] }
    }

    private mutating func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    private mutating func makeHost(_ number: Int) {
        let name = "host\(number).example:80"
        // Two hosts that do not exist.
        if number % 10 == 9 {
            dead.insert(name)
            return
        }
        var content = SplitMix64(seed: random.next())
        let bytes = (0..<[300, 5000, 30_000, 60_000][pick(4)]).map { _ in UInt8(truncatingIfNeeded: content.next()) }
        var origin = SimulatedOrigin(versions: [
            .init(bytes: bytes, entityTag: "\"\(number)\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        origin.bytesPerSecond = Int64([20_000, 200_000, 2_000_000][pick(3)])
        origin.latency = .milliseconds(5 + pick(100))
        if pick(3) == 0 { origin.ranges = .ignored }
        if pick(3) == 0 { origin.maximumConnections = 1 + pick(3) }
        if pick(3) == 0 { origin.answersBusy = 0.1 }
        if pick(3) == 0 { origin.refuses = 0.1 }
        if pick(3) == 0 { origin.diesMidBody = 0.1 }
        if pick(4) == 0 { origin.redirects = 1 }
        origins[name] = origin
    }

    private func failure(_ what: String) -> Failure {
        Failure(
            description:
                "seed \(seed): \(what) (\(maximumRunning) running, \(perHost) per host, \(maximumSmallFiles) and \(smallFilesPerHost) small, \(requestRate) requests/s, life \(summary.lives) at \((now - .zero).inSeconds) s)\n  again: PAWL_SEED=\(seed)"
        )
    }

    package mutating func run() throws -> Summary {
        for life in 0..<(2 + pick(3)) { try live(isFirst: life == 0, isLast: false) }
        try live(isFirst: false, isLast: true)
        try judge()
        return summary
    }

    // MARK: One life of the program

    private mutating func live(isFirst: Bool, isLast: Bool) throws {
        summary.lives += 1
        let before = Set(disk.names(in: Self.directory))
        let runtime = SimulatedRuntime(seed: random.next(), now: now)
        let hosts = SimulatedHosts(isLast ? origins.mapValues(\.healed) : origins, runtime: runtime)
        let rate = RequestRate(Double(requestRate), per: .seconds(1))
        var ports = Ports(
            transport: hosts, storage: disk, runtime: runtime, digests: SimulatedDigests(),
            gate: HostGate(limit: .max, rate: rate, runtime: runtime))
        ports.largestHeldFile = SimulatedDisk.largestHeldFile(seed)
        ports.runsSmall = seed % 4 != 2
        var limits = QueueMachine.Limits()
        limits.maximumRunning = maximumRunning
        limits.connectionsPerHost = perHost
        limits.maximumSmallFiles = maximumSmallFiles
        limits.smallFilesPerHost = smallFilesPerHost
        limits.requestRatePerHost = rate
        limits.maximumRetries = 2
        limits.maximumFinished = .max
        let runner = SimulatedRunner(ports, interruptsSmall: seed % 3 == 0 ? random.next() : nil) { [mirrors] plan in
            let url = plan.settings.askedURL
            guard let host = mirrors[url.hostKey], let mirror = try? HTTPURL(parsing: "http://\(host)\(url.path)")
            else {
                return
            }
            plan.settings.mirrors = [Source(url: mirror, priority: 2)]
        }
        let pool = DownloadPool(ports: ports, runner: runner, limits: limits)
        let reader = pool.events.makeReader()
        let session = SessionFile(disk, directory: "/session", name: "session")
        try pool.restore(from: session, memory: HostMemoryFile(disk, directory: "/session", name: "hosts"))
        try checkRestored(pool)
        if isFirst { try fill(pool) }
        if isLast {
            pool.resumeAll()
            for id in pool.ids { pool.resume(id) }
            remove(from: pool, runtime)
        } else {
            trouble(pool, runtime)
        }
        let end = Duration.milliseconds(500 + pick(120_000))
        let isOver = Locked(false)
        if !isLast { runtime.after(end) { isOver.withLock { $0 = true } } }
        let limit: Duration = .seconds(48 * 3600)
        let settled = runtime.run(limit: limit) {
            isLast ? Self.isDone(pool) : isOver.withLock { $0 }
        }
        summary.requests += hosts.requestCount
        summary.mostExtra = max(summary.mostExtra, hosts.maximumOpen - perHost)
        guard hosts.maximumOpen <= max(perHost, smallFilesPerHost) else {
            throw failure("\(hosts.maximumOpen) exchanges were open to one host")
        }
        if let rate, hosts.mostRequestsInASecond > requestRate + rate.burst {
            throw failure("\(hosts.mostRequestsInASecond) requests came to one host in a second")
        }
        guard hosts.maximumFiles <= max(maximumRunning, maximumSmallFiles) else {
            throw failure("\(hosts.maximumFiles) downloads ran at once")
        }
        guard settled, !isLast || Self.isDone(pool) else { throw failure("not done: \(Self.states(pool))") }
        if isLast { _ = runtime.run(limit: .seconds(1)) { false } }
        try checkEvents(reader, pool)
        if isLast {
            summary.seconds = (runtime.now - now).inSeconds
            try checkFiles(pool, before)
            summary.removed = count - pool.counts.all
            for state in pool.snapshots.map(\.entry) {
                switch state.state {
                case .completed: summary.completed += 1
                case .failed: summary.failed += 1
                default: break
                }
                try checkEnd(state)
            }
        }
        runtime.halt()
        now = runtime.now + .seconds(1)
        if pick(2) == 0 { disk.crash() } else { disk.kill() }
        disk.faults = FaultPlan()
    }

    private mutating func fill(_ pool: DownloadPool) throws {
        for number in 0..<count {
            // Half of the files of every other seed are of three hosts.
            let host = "host\(seed % 2 == 0 && number % 4 < 2 ? number % 3 : number % 20).example"
            let (name, text) = ("file-\(number)", "http://\(host)/file-\(number)")
            // Every other one has its name from the server.
            let isNamed = number % 2 == 0
            let plan = Plan(try HTTPURL(parsing: text), in: Self.directory, named: isNamed ? name : nil)
            let target = SimulatedRunner.target(Self.directory, isNamed ? name : "\0" + text)
            guard case .new = pool.add(plan, target: target, .init(priority: Int32(pick(3)))) else {
                throw failure("was not added")
            }
            added[name] = host + ":80"
            guard case .taken = pool.add(plan, target: target) else { throw failure("was added twice") }
        }
        guard pool.counts.all == count else { throw failure("\(pool.counts.all) were added") }
    }

    /// Actions of a user, and failures of the disk, during a life.
    private mutating func trouble(_ pool: DownloadPool, _ runtime: SimulatedRuntime) {
        for _ in 0..<20 {
            let id = DownloadID(UInt64(1 + pick(count)))
            let other = DownloadID(UInt64(1 + pick(count)))
            let kind = pick(6)
            let moment = Duration.milliseconds(pick(60_000))
            runtime.after(moment) {
                switch kind {
                case 0: pool.pause(id)
                case 1: pool.resume(id)
                case 2: pool.move(id, to: .before(other))
                case 3: pool.setPriority(id, 4)
                case 4: pool.pauseAll()
                default: pool.resumeAll()
                }
            }
        }
        if pick(2) == 0 {
            let disk = disk
            runtime.after(.seconds(5)) {
                var plan = FaultPlan()
                for call in 1...40 { plan.fail(.allocate, call: call, with: .noSpace) }
                disk.faults = plan
            }
            runtime.after(.seconds(30)) { disk.faults = FaultPlan() }
        }
    }

    /// Removes running downloads with their files, at any moment of a run, also when the file gets its name.
    private mutating func remove(from pool: DownloadPool, _ runtime: SimulatedRuntime) {
        for _ in 0..<100 {
            let choice = pick(1000)
            runtime.after(.milliseconds(pick(120_000))) {
                let running = pool.snapshots.filter { if case .running = $0.entry.state { true } else { false } }
                if !running.isEmpty { pool.remove(running[choice % running.count].entry.id, deletesFiles: true) }
            }
        }
    }

    private static func isDone(_ pool: DownloadPool) -> Bool {
        pool.counts.running == 0 && pool.snapshots.allSatisfy { !$0.entry.state.isAlive }
    }

    private static func states(_ pool: DownloadPool) -> String {
        pool.snapshots.filter { $0.entry.state.isAlive }.prefix(5).map {
            "\($0.entry.id): \($0.entry.state) \($0.obstacle.map { "\($0)" } ?? "")"
        }
        .joined(separator: "; ")
    }

    // MARK: Judging

    /// A restored session is the old state or the new, never less: every download that was saved is there.
    private func checkRestored(_ pool: DownloadPool) throws {
        guard summary.lives > 1 else { return }
        let ids = pool.ids
        guard Set(ids).count == ids.count else { throw failure("one is there twice") }
        guard ids.count == added.count else { throw failure("\(ids.count) of \(added.count) were restored") }
    }

    private func checkEvents(_ reader: PoolEvents.Reader, _ pool: DownloadPool) throws {
        var seen = 0
        for news in reader.take() {
            seen += 1
            if case .state(let id, _) = news, pool.snapshot(id) == nil { throw failure("a change of one that is gone") }
        }
        // Each download occurs at most once among the changes, and other events never exceed what a reader may fall
        // behind.
        guard seen <= count + PoolEvents.maximumWaiting + 1 else { throw failure("\(seen) events waited for a reader") }
    }

    /// Nothing but what is complete: what was removed has left nothing, under whatever name. What a kill or a loss of
    /// power has parted from its journal is nobody's (FAULTS D24).
    private func checkFiles(_ pool: DownloadPool, _ before: Set<String>) throws {
        let complete = pool.snapshots.compactMap { one -> String? in
            if case .completed(let facts) = one.entry.state { facts.fileName } else { nil }
        }
        let surplus = Set(disk.names(in: Self.directory)).subtracting(complete).filter { name in
            let isUndescribed = before.contains(name) && !before.contains(name.replacing(".part", with: ".pawl"))
            return !name.contains(".part.orphan-") && !isUndescribed
        }
        guard surplus.isEmpty else { throw failure("files are left: \(surplus.sorted().prefix(5))") }
    }

    private func checkEnd(_ entry: QueueEntry) throws {
        let name = String(entry.url.path.dropFirst())
        guard let host = added[name] else { throw failure("one that nobody added") }
        switch entry.state {
        case .completed(let facts):
            // This includes a download that finished just before the session was saved, when the program died.
            guard !facts.wasSkipped, facts.isComplete else { throw failure("\(name) was skipped") }
            guard let origin = origins[mirrors[host] ?? host], let stored = entry.fileName,
                // A redirect may lead to another name.
                stored.isExactly(name) || !entry.isNameGiven && origin.redirects > 0,
                disk.contents(of: Self.directory + "/" + stored) == origin.versions[0].bytes
            else {
                throw failure("\(name) has other bytes than its server's")
            }
        case .failed(let error):
            guard dead.contains(host), mirrors[host] == nil else { throw failure("\(name) failed: \(error.message)") }
        default: throw failure("\(name) is \(entry.state)")
        }
    }

    private func judge() throws {
        guard summary.completed + summary.failed + summary.removed == added.count else {
            throw failure("\(summary.completed) completed and \(summary.failed) failed of \(added.count)")
        }
    }
}
