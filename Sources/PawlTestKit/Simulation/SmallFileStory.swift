import PawlCore
import PawlEngine
import Synchronization

/// One seed: a list of small files, ordinary ones and others, that one pool downloads from servers with their habits,
/// into a directory in which something may stand. The same list with and without ``SmallRun`` has to end the same.
package struct SmallFileStory {
    /// Whether files go the short way.
    package enum Way: CaseIterable, Sendable {
        case ordinary, short
        /// The short way is left at any moment, although nothing requires it.
        case interrupted
    }

    /// The end of a run, in a form that can be compared.
    package struct End: Equatable, CustomStringConvertible {
        /// The end of one file.
        package struct State: Equatable, CustomStringConvertible {
            package var text: String
            /// Its entity tag and date, and what else its server has said; nil: not known, as of one that was paused
            /// while it was named, and found again by its marker.
            package var validators: String?

            package static func == (left: Self, right: Self) -> Bool {
                left.text == right.text
                    && (left.validators == nil || right.validators == nil || left.validators == right.validators)
            }

            package var description: String { text + (validators.map { " " + $0 } ?? "") }
        }

        /// By file, in the order of the list.
        package var states: [State]
        package var contents: [String: [UInt8]]

        package var description: String {
            states.map(\.description).joined(separator: "\n") + "\n" + contents.keys.sorted().joined(separator: " ")
        }

        /// The lines in which two ends differ.
        package func difference(from other: End) -> String {
            let lines = zip(states, other.states).filter { $0 != $1 }.map { "\($0)\n  \($1)" }
            let names = Set(contents.keys).symmetricDifference(other.contents.keys).sorted()
            let changed = contents.filter { name, bytes in (other.contents[name] ?? bytes) != bytes }.keys
            return (lines + ["names: \(names), contents: \(changed.sorted())"]).joined(separator: "\n")
        }
    }

    private static let directory = "/d"
    private let seed: UInt64
    private var random: SplitMix64
    private var origins: [String: SimulatedOrigin] = [:]
    private var policy: ExistingFilePolicy
    private let sync: SyncPolicy
    private let existing: [String]
    private let perHost: Int
    /// The hosts that give one name to all their files.
    private var sharing: Set<Int> = []
    /// The names that the caller gives, and the digests that the files must have, right ones and wrong ones.
    private var givenNames: [Int: String] = [:]
    private var digests: [Int: Digest] = [:]
    /// Two hosts that serve different files of one name, without fail: the one in front gets it.
    private let pair = [8, 9]
    /// The moments at which a user pauses a file, and when it goes on.
    private var pauses: [(file: Int, at: Duration, until: Duration)] = []
    /// The moments at which a timetable pauses all, and when they go on.
    private var timetable: [(at: Duration, until: Duration)] = []
    /// The moments at which another process makes files of the list.
    private var made: [(file: Int, at: Duration)] = []
    private static let bytesOfAnother = Array("another's".utf8)

    package init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        policy = ExistingFilePolicy.allCases[Int(random.next() % UInt64(ExistingFilePolicy.allCases.count))]
        sync = [.group, .group, .none][Int(random.next() % 3)]
        perHost = 1 + Int(random.next() % 6)
        existing = (0..<40).filter { _ in random.next() % 12 == 0 }.map { "file-\($0)" }
        self.random = random
        let setsCookies = chance(10)
        for number in 0..<8 { makeHost(number, setsCookies: setsCookies) }
        for number in pair { makePair(number) }
        for number in 0..<40 { makeWishes(number) }
        if chance(2) { makeInterruptions() }
        for number in 0..<40 where chance(2) {
            made.append((number, .milliseconds(Int64(self.random.next() % 1500))))
        }
    }

    private mutating func makePair(_ number: Int) {
        var origin = SimulatedOrigin(versions: [
            .init(
                bytes: SimulatedOrigin.content(2000 + number, seed: random.next()), entityTag: "\"\(number)\"",
                lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        origin.latency = .milliseconds(Int64(5 + random.next() % 900))
        origin.fields.append(HTTPField("Content-Disposition", "attachment; filename=\"pair\""))
        origins["host\(number).example:80"] = origin
    }

    private mutating func makeWishes(_ number: Int) {
        // Sometimes the name of one that is there.
        if chance(5) { givenNames[number] = chance(4) ? existing.first { $0 == "file-\(number)" } : "named-\(number)" }
        guard chance(6), let bytes = origins["host\(number % 8).example:80"]?.versions.first?.bytes else { return }
        var digest = SimulatedDigests().digest(.sha256, of: bytes) ?? []
        if chance(3), !digest.isEmpty { digest[0] ^= 1 }
        digests[number] = Digest(algorithm: .sha256, bytes: digest)
    }

    private mutating func makeInterruptions() {
        func moment(_ limit: UInt64) -> Duration { .milliseconds(Int64(random.next() % limit)) }
        for _ in 0..<12 {
            let at = moment(3000)
            pauses.append((Int(random.next() % 40), at, at + moment(2000)))
        }
        for _ in 0..<Int(random.next() % 3) {
            let at = moment(2000)
            timetable.append((at, at + moment(1000)))
        }
    }

    private mutating func chance(_ one: UInt64) -> Bool { random.next() % one == 0 }

    private mutating func makeHost(_ number: Int, setsCookies: Bool) {
        let sizes = [1, 300, 5000, 30_000, 128 << 10, (128 << 10) + 1, 300_000]
        let bytes = SimulatedOrigin.content(sizes[Int(random.next() % UInt64(sizes.count))], seed: random.next())
        var origin = SimulatedOrigin(versions: [
            .init(bytes: bytes, entityTag: "\"\(number)\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        origin.latency = .milliseconds(Int64(chance(6) ? 1500 : 5 + random.next() % 60))
        origin.bytesPerSecond = chance(6) ? 20_000 : 4_000_000
        if chance(4) { origin.ranges = .ignored }
        if chance(6) { origin.sendsLength = false }
        if chance(6) {
            origin.redirects = 1
            origin.fields.append(HTTPField("Content-Disposition", "attachment; filename=\"shared-\(number)\""))
            sharing.insert(number)
        } else if chance(6) {
            origin.fields.append(HTTPField("Content-Disposition", "attachment; filename=\"shared-\(number)\""))
            sharing.insert(number)
        }
        if chance(8) { origin.refusal = [404, 403, 500][Int(random.next() % 3)] }
        if chance(8) { origin.sendsDigest = true }
        if chance(8) { origin.asksForLogin = true }
        if chance(4) { origin.refuses = 0.2 }
        if chance(4) { origin.diesMidBody = 0.2 }
        if chance(6) { origin.runsOn = 0.3 }
        if chance(6) { origin.answersShort = 0.3 }
        if setsCookies { origin.fields.append(HTTPField("Set-Cookie", "a=\(number)")) }
        if chance(8) { origin.fields.append(HTTPField("Content-Type", "text/html")) }
        if chance(8) { origin.fields.append(HTTPField("Content-Encoding", "gzip")) }
        origin.validator = SimulatedOrigin.Validator.allCases[Int(random.next() % 5)]
        origins["host\(number).example:80"] = origin
    }

    /// Runs the list beside another process that makes files of it. What exists is left as it is.
    ///
    /// - Returns: what is wrong, and how many files the other process has made.
    package func runBesideAnother(_ way: Way) throws -> (faults: [String], made: Int) {
        var story = self
        (story.policy, story.digests) = (.skip, [:])
        let run = try story.perform(way, besideAnother: true)
        var faults: [String] = []
        let steady = Set((0..<40).filter(isSteady).map { givenNames[$0] ?? "file-\($0)" })
        for name in run.names where FileName.isReserved(name) {
            let target = String(decoding: name.utf8.dropLast(5), as: UTF8.self)
            if steady.contains(target), run.names.contains(target) { faults.append("\(name) was left") }
        }
        for name in run.made where run.disk.contents(of: Self.directory + "/" + name) != Self.bytesOfAnother {
            faults.append("\(name) was changed")
        }
        for (number, state) in run.states.prefix(40).enumerated() where !sharesName(number) {
            if case .failed(let error)? = state, error.code == .fileExists {
                faults.append("file-\(number) failed: \(error.message)")
            }
        }
        return (faults, run.made.count)
    }

    /// - Returns: the end, and how many files were finished on the short way.
    package func run(_ way: Way) throws -> (end: End, short: Int) {
        let run = try perform(way, besideAnother: false)
        let states = run.states.enumerated().map { number, state in
            // Which of several files gets a name that they share may be chance where servers fail.
            let isChance = number < 40 && sharesName(number)
            let shown = isChance ? "shares a name" : state.map { text(of: $0) } ?? "gone"
            return End.State(text: "file-\(number) \(shown)", validators: isChance ? nil : state.flatMap(validators))
        }
        // Whether a server fails at a moment that leaves bytes to be set aside is chance.
        let names = run.names.filter { !$0.contains(".orphan-") }
        let contents = Dictionary(
            uniqueKeysWithValues: names.map { ($0, run.disk.contents(of: Self.directory + "/" + $0) ?? []) })
        return (End(states: states, contents: contents), run.short)
    }

    /// Whether a file has the name that its server gives to others, too.
    private func sharesName(_ number: Int) -> Bool { givenNames[number] == nil && sharing.contains(number % 8) }

    /// Whether a file is fetched in one go: what an earlier run has stored of it stays, whatever comes to have its
    /// name.
    private func isSteady(_ number: Int) -> Bool {
        guard let origin = origins["host\(number % 8).example:80"] else { return false }
        return timetable.isEmpty && pauses.allSatisfy { $0.file != number } && origin.refuses == 0
            && origin.diesMidBody == 0 && origin.runsOn == 0 && origin.answersShort == 0
    }

    /// The state behind a run.
    private struct Performance {
        let disk: SimulatedDisk
        let states: [QueueEntry.State?]
        /// The files that another process has made.
        let made: [String]
        let short: Int

        var names: [String] { disk.names(in: SmallFileStory.directory) }
    }

    private func perform(_ way: Way, besideAnother: Bool) throws -> Performance {
        let disk = SimulatedDisk(seed: seed)
        disk.makeDirectory(Self.directory)
        for name in existing { disk.install(Self.directory + "/" + name, Array("there".utf8)) }
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let hosts = SimulatedHosts(origins, runtime: runtime)
        var ports = Ports(transport: hosts, storage: disk, runtime: runtime, digests: SimulatedDigests())
        ports.largestHeldFile = 128 << 10
        ports.runsSmall = way != .ordinary
        var limits = QueueMachine.Limits()
        limits.maximumRunning = 6
        limits.connectionsPerHost = perHost
        limits.maximumRetries = 20
        limits.maximumFinished = .max
        let runner = SimulatedRunner(ports, interruptsSmall: way == .interrupted ? seed : nil) {
            [policy, sync, digests] in
            $0.settings.options.ifExists = policy
            $0.settings.options.sync = sync
            let number = $0.settings.url.path.split(separator: "-").last.flatMap { Int($0) }
            $0.settings.options.digest = number.flatMap { digests[$0] }
        }
        let pool = DownloadPool(ports: ports, runner: runner, limits: limits, namesInOrder: true)
        var ids: [DownloadID] = []
        // Pauses leave it to chance which of the two has the name first.
        let numbers = Array(0..<40) + (pauses.isEmpty ? [40, 41] : [])
        for number in numbers {
            let text = "http://host\(number < 40 ? number % 8 : number - 32).example/file-\(number)"
            let plan = Plan(try HTTPURL(parsing: text), in: Self.directory, named: givenNames[number])
            let target = SimulatedRunner.target(Self.directory, givenNames[number] ?? "\0" + text)
            if case .new(let id) = pool.add(plan, target: target) { ids.append(id) }
        }
        interrupt(pool, ids, ports.gate, runtime)
        let names = Locked<[String]>([])
        for (file, moment) in besideAnother ? made : [] {
            runtime.after(moment) {
                let name = givenNames[file] ?? "file-\(file)"
                guard disk.contents(of: Self.directory + "/" + name) == nil else { return }
                disk.install(Self.directory + "/" + name, Self.bytesOfAnother)
                names.withLock { $0.append(name) }
            }
        }
        _ = runtime.run(limit: .seconds(24 * 3600)) { pool.snapshots.allSatisfy { !$0.entry.state.isAlive } }
        _ = runtime.run(limit: .seconds(1)) { false }
        runtime.halt()
        return Performance(
            disk: disk, states: ids.map { pool.entry($0)?.state }, made: names.withLock { $0 },
            short: runner.finishedSmall)
    }

    private func interrupt(
        _ pool: DownloadPool, _ ids: [DownloadID], _ gate: HostGate, _ runtime: SimulatedRuntime
    ) {
        for (file, at, until) in pauses {
            runtime.after(at) {
                guard pool.entry(ids[file])?.state.isAlive == true else { return }
                pool.pause(ids[file])
                runtime.after(until - at) { pool.resume(ids[file]) }
            }
        }
        let noon = WeekTime(weekday: 0, secondsOfDay: 12 * 3600)
        let pause = (try? SpeedSchedule(parsing: "08:00,pause 22:00,off"))?.pause(at: noon)
        for (at, until) in timetable {
            runtime.after(at) { gate.pause = pause }
            runtime.after(until) { gate.pause = nil }
        }
    }

    private func validators(_ state: QueueEntry.State) -> String? {
        guard case .completed(let facts) = state else { return nil }
        let values = [
            facts.entityTag, facts.lastModified, facts.response?.contentType, facts.digest?.description,
        ]
        let isKnown = values.contains { $0 != nil }
        return pauses.isEmpty || isKnown ? values.map { $0 ?? "-" }.joined(separator: " ") : nil
    }

    private func text(of state: QueueEntry.State) -> String {
        switch state {
        // Whether the other that has the name is still under way or has ended is chance.
        case .failed(let error) where error.code == .fileExists: "left out"
        case .completed(let facts) where facts.skipReason == .exists: "left out"
        case .completed(let facts):
            "completed \(facts.fileName) \(facts.byteCount) \(facts.isComplete) \(facts.isVerified) "
                + "\(facts.skipReason.map { "\($0)" } ?? "-") \(facts.contentCoding ?? "-")"
        case .failed(let error): "failed \(error.code)"
        default: "\(state)"
        }
    }
}
