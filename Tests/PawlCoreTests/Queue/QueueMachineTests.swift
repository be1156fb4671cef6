import PawlCore
import PawlTestKit
import Testing

/// A queue with a clock that the test moves.
private struct QueueBench {
    var machine: QueueMachine
    var now = Instant.zero
    var last: [QueueAction] = []
    var policy: ExistingFilePolicy?

    init(running: Int = 2, perHost: Int = 2, retries: Int = 3, small: Int = 0, rate: RequestRate? = nil) {
        var limits = QueueMachine.Limits()
        limits.maximumRunning = running
        limits.connectionsPerHost = perHost
        limits.maximumRetries = retries
        limits.maximumSmallFiles = small
        limits.smallFilesPerHost = small
        limits.requestRatePerHost = rate
        machine = QueueMachine(limits: limits, seed: 7)
    }

    @discardableResult
    mutating func send(_ event: QueueEvent) -> [QueueAction] {
        last = machine.handle(event, at: now)
        // Without a known length, the answer for a disk would be only the disk's number; this bench leaves out even
        // that.
        for case .measure(let id, _) in last where machine[id]?.total == -1 {
            last += machine.handle(.measured(id, disk: nil, available: 0), at: now)
        }
        return last
    }

    @discardableResult
    mutating func add(
        _ number: UInt64, host: String = "a:80", priority: Int32 = 0, isPaused: Bool = false, total: Int64 = -1,
        directory: String = "/d"
    ) -> DownloadID {
        let id = DownloadID(number)
        var entry = QueueEntry(
            id: id, url: "http://\(host)/\(number)", host: host, directory: directory, fileName: "\(number)",
            target: number,
            priority: priority)
        entry.total = total
        entry.request.template.value.options.ifExists = policy
        send(.add(entry, isPaused: isPaused))
        return id
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        send(.wake)
    }

    var running: [UInt64] { machine.ids.filter { machine.isRunning($0) }.map(\.number) }
    var order: [UInt64] { machine.ids.map(\.number) }
    func state(_ number: UInt64) -> QueueEntry.State? { machine[DownloadID(number)]?.state }

    static let facts = FinishedFacts(fileName: "f", byteCount: 1, finalURL: "http://a/")
    static let network = DownloadError(.network, "cut", recovery: .retryNow)
    static let full = DownloadError(.diskFull, "full", recovery: .retryAfter(nil))
}

@Suite("Which of many downloads run")
struct QueueMachineTests {
    @Test func `downloads start in order up to the limit, and the next starts when one ends`() {
        var bench = QueueBench()
        for number in 1...4 { bench.add(UInt64(number), host: "h\(number):80") }
        #expect(bench.running == [1, 2])
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        #expect(bench.last.contains(.start(DownloadID(3))))
        #expect(bench.running == [2, 3])
        #expect(bench.state(1) == .completed(QueueBench.facts))
    }

    @Test
    func `after a restart, an existing file counts as the download's own only if no byte or answer arrived before`() {
        let exists = DownloadError.nameTaken(by: .file, "there", remedies: [])
        for (number, events) in [
            [], [QueueEvent.advanced(DownloadID(1), total: 9, stored: 0, unreserved: 9)],
            [.advanced(DownloadID(1), total: 9, stored: 4, unreserved: 5)], [.heard(DownloadID(1), .works)],
        ].enumerated() {
            var bench = QueueBench()
            var entry = QueueEntry(
                id: DownloadID(1), url: "http://a/1", host: "a:80", directory: "/d", fileName: "1", target: 1)
            entry.state = .running
            entry.stored = 4
            entry.total = 9
            bench.send(.restore([entry]))
            bench.send(.measured(DownloadID(1), disk: 1, available: 100))
            #expect(bench.running == [1])
            for event in events { bench.send(event) }
            bench.send(.ended(DownloadID(1), .failed(exists)))
            if number < 2 {
                guard case .completed(let facts)? = bench.state(1) else {
                    Issue.record("\(number): \(String(describing: bench.state(1)))")
                    continue
                }
                #expect(facts.skipReason == .exists)
            } else {
                #expect(bench.state(1) == .failed(exists), "\(number)")
            }
        }
    }

    @Test func `a failed download resumes only if no other download holds the name that its server chose`() {
        var bench = QueueBench()
        let broken = DownloadError(.refused, "no", recovery: .giveUp)
        let (first, second) = (bench.add(1), bench.add(2))
        let (hasFirst, hasSecond) = (bench.machine.claim(99, for: first), bench.machine.claim(99, for: second))
        #expect(hasFirst && !hasSecond)
        bench.send(.ended(first, .failed(broken)))
        let takesOver = bench.machine.claim(99, for: second)
        #expect(takesOver)
        bench.send(.resume(first))
        #expect(bench.state(1) == .failed(broken))
        #expect(bench.machine.inTheWay(of: first)?.id == second)
        bench.send(.ended(second, .completed(QueueBench.facts)))
        #expect(bench.machine.inTheWay(of: first) == nil)
        bench.send(.resume(first))
        #expect(bench.running == [1])
        let third = bench.add(3)
        let isStolen = bench.machine.claim(99, for: third)
        #expect(!isStolen)
        #expect(bench.machine.holder(of: 99)?.id == first)
    }

    /// Files whose host has served small ones until it may have 8 at once.
    private func benchOfSmallFiles(_ count: Int = 40) -> QueueBench {
        var bench = QueueBench(running: 2, perHost: 2, small: 12)
        for number in 1...count { bench.add(UInt64(number)) }
        if count > 12 { bench.add(50, host: "b:80") }
        for number in 1...4 { bench.send(.ended(DownloadID(UInt64(number)), .completed(QueueBench.facts))) }
        return bench
    }

    @Test func `more files of a host run while they are small, in order, besides those of others`() {
        var bench = benchOfSmallFiles()
        #expect(bench.running == Array(5...12))
        bench.send(.setMaximumRunning(3))
        // Two of the first host have a place, and the others are extra ones.
        #expect(bench.running == Array(5...12) + [50])
        bench.send(.setMaximumRunning(2))
        bench.send(.ended(DownloadID(50), .paused))
        #expect(bench.running.count == 8)
    }

    @Test func `a large file among the extra ones waits for a place, and ends them`() {
        var bench = benchOfSmallFiles()
        let large = DownloadID(9)
        bench.send(.advanced(large, total: 4 << 20, stored: 0, unreserved: 0))
        #expect(bench.last.contains(.stop(large)))
        bench.send(.ended(large, .paused))
        #expect(bench.state(9) == .queued && bench.running.count == 7)
        // Its turn comes, before those behind it.
        for number in [5, 6] { bench.send(.ended(DownloadID(UInt64(number)), .completed(QueueBench.facts))) }
        #expect(bench.running.contains(9))
    }

    @Test func `a large file among the extra ones takes a place that is free`() {
        var bench = benchOfSmallFiles(12)
        for number in [5, 6] { bench.send(.ended(DownloadID(UInt64(number)), .completed(QueueBench.facts))) }
        let large = DownloadID(9)
        #expect(bench.machine.isExtra(large))
        bench.send(.advanced(large, total: 4 << 20, stored: 0, unreserved: 0))
        #expect(bench.last.isEmpty && bench.machine.isRunning(large) && !bench.machine.isExtra(large))
    }

    @Test func `a user's pause of an extra one that finds no connection holds`() {
        var bench = benchOfSmallFiles()
        bench.send(.pause(DownloadID(12)))
        bench.send(.heard(DownloadID(12), .awaitingPermit))
        bench.send(.ended(DownloadID(12), .paused))
        #expect(bench.state(12) == .paused)
    }

    @Test func `an extra one that finds no connection while no other runs there does not begin again at once`() {
        var bench = benchOfSmallFiles(9)
        for number in 5...8 { bench.send(.ended(DownloadID(UInt64(number)), .completed(QueueBench.facts))) }
        // It is the last one of its host, and an extra one.
        #expect(bench.running == [9] && bench.machine.isExtra(DownloadID(9)))
        for number in 20...21 { bench.add(UInt64(number), host: "b:80") }
        bench.send(.heard(DownloadID(9), .awaitingPermit))
        bench.send(.ended(DownloadID(9), .paused))
        #expect(bench.state(9) == .queued && bench.running == [20, 21])
    }

    @Test func `an extra one that has to wait gives up its place, and halves the number only for its first failure`() {
        var bench = benchOfSmallFiles()
        let until = bench.now + .seconds(1)
        let waits = { (failures: Int) in
            QueueNews.backsOff(until: until, failures: failures, QueueBench.network, isHostDown: false)
        }
        bench.send(.heard(DownloadID(5), waits(3)))
        bench.send(.ended(DownloadID(6), .completed(QueueBench.facts)))
        #expect(bench.running.count == 8)
        bench.send(.heard(DownloadID(12), waits(1)))
        #expect(bench.last.contains(.stop(DownloadID(12))))
        bench.send(.ended(DownloadID(12), .paused))
        #expect(bench.state(12) == .waiting(.backOff(until: until, QueueBench.network)))
        for number in 7...10 { bench.send(.ended(DownloadID(UInt64(number)), .completed(QueueBench.facts))) }
        // Two places, and two extra ones.
        #expect(bench.running.count == 4, "\(bench.running)")
    }

    @Test func `the number for small files is a limit for all`() {
        var bench = QueueBench(running: 12, perHost: 2, small: 12)
        for number in 1...40 { bench.add(UInt64(number)) }
        for number in 1...30 {
            bench.send(.ended(DownloadID(UInt64(number)), .completed(QueueBench.facts)))
            bench.now = bench.now + .milliseconds(10)
        }
        let before = bench.running.count
        for host in 1...8 {
            for number in 0...1 { bench.add(UInt64(100 + 2 * host + number), host: "h\(host):80") }
        }
        #expect(before >= 8 && bench.running.count == 12)
    }

    @Test func `the last download of a host, found completed while it waits, leaves nothing behind`() {
        var bench = QueueBench(running: 1)
        bench.add(1)
        bench.add(2, host: "b:80")
        bench.send(.concluded(DownloadID(2), QueueBench.facts))
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        bench.add(3, host: "c:80")
        #expect(bench.running == [3])
    }

    @Test func `an extra one that finds no connection waits in the queue`() {
        var bench = benchOfSmallFiles()
        bench.send(.heard(DownloadID(12), .awaitingPermit))
        #expect(bench.last.contains(.stop(DownloadID(12))))
        bench.send(.ended(DownloadID(12), .paused))
        #expect(bench.state(12) == .queued)
    }

    @Test func `a host at its connection limit is skipped`() {
        var bench = QueueBench(running: 3, perHost: 2)
        for number in 1...4 { bench.add(UInt64(number)) }
        bench.add(5, host: "b:80")
        #expect(bench.running == [1, 2, 5])
        #expect(bench.machine.obstacle(of: DownloadID(3), at: bench.now) == .full)
        bench.send(.setConnectionsPerHost(3))
        bench.send(.setMaximumRunning(4))
        #expect(bench.running == [1, 2, 3, 5])
    }

    @Test func `higher priority runs first, and the queue's order decides between equals`() {
        var bench = QueueBench(running: 1)
        bench.add(1)
        bench.add(2)
        bench.add(3, priority: 5)
        bench.add(4)
        #expect(bench.order == [3, 1, 2, 4])
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        #expect(bench.running == [3])
        bench.send(.setPriority(DownloadID(4), 9))
        #expect(bench.order.prefix(2) == [4, 3])
    }

    @Test(
        arguments: [
            (QueuePosition.top, [4, 1, 2, 3, 5]), (.bottom, [1, 2, 3, 5, 4]), (.offset(-2), [1, 4, 2, 3, 5]),
            (.offset(1), [1, 2, 3, 5, 4]), (.offset(.max), [1, 2, 3, 5, 4]), (.offset(.min), [4, 1, 2, 3, 5]),
            (.index(0), [4, 1, 2, 3, 5]), (.index(2), [1, 2, 4, 3, 5]), (.index(99), [1, 2, 3, 5, 4]),
            (.before(DownloadID(2)), [1, 4, 2, 3, 5]), (.after(DownloadID(2)), [1, 2, 4, 3, 5]),
            (.before(DownloadID(77)), [1, 2, 3, 4, 5]),
        ] as [(QueuePosition, [UInt64])])
    func `a download moves to the requested position`(position: QueuePosition, expected: [UInt64]) {
        var bench = QueueBench(running: 1)
        for number in 1...5 { bench.add(UInt64(number), isPaused: true) }
        bench.send(.move(DownloadID(4), position))
        #expect(bench.order == expected)
        #expect(expected.enumerated().allSatisfy { bench.machine.position(of: DownloadID($1)) == $0 })
    }

    @Test func `a hundred moves between the same two downloads keep the order right`() {
        var bench = QueueBench(running: 1)
        for number in 1...4 { bench.add(UInt64(number), isPaused: true) }
        for turn in 0..<100 { bench.send(.move(DownloadID(turn % 2 == 0 ? 3 : 4), .after(DownloadID(1)))) }
        #expect(bench.order == [1, 4, 3, 2])
    }

    @Test func `a download paused by the user stays paused until it is resumed`() {
        var bench = QueueBench(running: 1)
        let first = bench.add(1)
        bench.add(2)
        bench.send(.pause(first))
        #expect(bench.last.contains(.stop(first)))
        #expect(bench.running == [1], "what is stopping still has its place")
        bench.send(.ended(first, .paused))
        #expect(bench.state(1) == .paused)
        #expect(bench.running == [2])
        bench.send(.resume(first))
        bench.send(.ended(DownloadID(2), .completed(QueueBench.facts)))
        #expect(bench.running == [1])
    }

    @Test func `all downloads are paused and resumed, including a download that is still pausing`() {
        var bench = QueueBench(running: 1)
        for number in 1...3 { bench.add(UInt64(number)) }
        bench.send(.pauseAll)
        #expect(bench.state(2) == .paused)
        bench.send(.resumeAll)
        bench.send(.ended(DownloadID(1), .paused))
        #expect(bench.running == [1])
        #expect(bench.state(3) == .queued)
    }

    @Test func `a running download is removed once it has ended, and a waiting download at once`() {
        var bench = QueueBench(running: 1)
        let first = bench.add(1)
        let second = bench.add(2)
        bench.send(.remove(second, deletesFiles: false))
        #expect(bench.machine[second] == nil)
        bench.send(.remove(first, deletesFiles: true))
        #expect(bench.machine[first] != nil)
        bench.send(.ended(first, .failed(QueueBench.network)))
        #expect(bench.machine.count == 0)
        guard case .removed(let entry, true)? = bench.last.first else { return #expect(Bool(false), "not removed") }
        #expect(entry.id == first)
    }

    @Test(arguments: DownloadError.NameHolder.allCases)
    func `D42 only a regular file under its name completes a download after a restart, whatever the error advises`(
        holder: DownloadError.NameHolder
    ) {
        var bench = QueueBench()
        var entry = QueueEntry(
            id: DownloadID(1), url: "http://a/1", host: "a:80", directory: "/d", fileName: "1", target: 1)
        entry.state = .running
        bench.send(.restore([entry]))
        bench.send(.measured(DownloadID(1), disk: 1, available: 100))
        let error = DownloadError.nameTaken(by: holder, "there", remedies: [.decideIfExists])
        bench.send(.ended(DownloadID(1), .failed(error)))
        #expect((bench.state(1) == .failed(error)) == (holder != .file))
    }

    @Test func `D38 a link in place of the partial file does not complete a download after a restart`() {
        var bench = QueueBench()
        var entry = QueueEntry(
            id: DownloadID(1), url: "http://a/1", host: "a:80", directory: "/d", fileName: "1", target: 1)
        entry.state = .running
        bench.send(.restore([entry]))
        bench.send(.measured(DownloadID(1), disk: 1, available: 100))
        let link = DownloadError(
            .fileExists, "“1.part” exists and is not a regular file.", remedies: [.chooseName], recovery: .giveUp)
        bench.send(.ended(DownloadID(1), .failed(link)))
        #expect(bench.state(1) == .failed(link))
    }

    @Test func `P27 a download whose end is known elsewhere is concluded without a run, and one that runs is not`() {
        var bench = QueueBench(running: 1)
        let (first, second) = (bench.add(1), bench.add(2))
        bench.send(.concluded(first, QueueBench.facts))
        #expect(bench.running == [1])
        bench.send(.concluded(second, QueueBench.facts))
        #expect(bench.state(2) == .completed(QueueBench.facts))
        bench.send(.ended(first, .completed(QueueBench.facts)))
        bench.send(.remove(second, deletesFiles: true))
        guard case .removed(let entry, true)? = bench.last.first else { return #expect(Bool(false), "not removed") }
        #expect(entry.state == .completed(QueueBench.facts))
    }

    @Test func `N35 a completed download for which its host was not asked says nothing good of that host`() {
        var bench = QueueBench(running: 4, perHost: 4)
        let (first, second) = (bench.add(1), bench.add(2))
        for id in [first, second] {
            let until = bench.now + .seconds(1)
            bench.send(.heard(id, .backsOff(until: until, failures: 1, QueueBench.network, isHostDown: true)))
        }
        bench.pass(.seconds(2))
        for number in UInt64(3)...6 { bench.add(number) }
        #expect(bench.running == [1, 2], "the host is suspect")
        var existed = QueueBench.facts
        existed.skipReason = .exists
        bench.send(.concluded(DownloadID(3), QueueBench.facts))
        #expect(bench.running == [1, 2])
        bench.send(.ended(first, .completed(existed)))
        #expect(bench.running == [2])
        bench.send(.ended(second, .completed(existed)))
        #expect(bench.running == [4])
        bench.send(.ended(DownloadID(4), .completed(QueueBench.facts)))
        #expect(bench.running == [5, 6])
    }

    @Test func `D36 a download that completes while it is being removed is removed as a completed download`() {
        var bench = QueueBench(running: 1)
        let id = bench.add(1)
        bench.send(.remove(id, deletesFiles: true))
        bench.send(.ended(id, .completed(QueueBench.facts)))
        #expect(bench.machine.count == 0)
        guard case .removed(let entry, true)? = bench.last.first else { return #expect(Bool(false), "not removed") }
        #expect(entry.state == .completed(QueueBench.facts) && entry.fileName == QueueBench.facts.fileName)
    }

    // MARK: Starvation

    @Test func `a download in a long back-off gives its place to another, and keeps its number of failures`() {
        var bench = QueueBench(running: 1)
        let first = bench.add(1, host: "dead:80")
        bench.add(2, host: "b:80")
        let until = bench.now + .seconds(20)
        bench.send(.heard(first, .backsOff(until: until, failures: 6, QueueBench.network, isHostDown: true)))
        #expect(bench.last.contains(.stop(first)))
        bench.send(.ended(first, .paused))
        #expect(bench.running == [2])
        #expect(bench.state(1) == .waiting(.backOff(until: until, QueueBench.network)))
        bench.pass(.seconds(21))
        #expect(bench.state(1) == .queued)
        bench.send(.ended(DownloadID(2), .completed(QueueBench.facts)))
        #expect(bench.running == [1])
        #expect(bench.machine.failuresBefore(first) == 6)
    }

    @Test func `bytes of mirrors say nothing about a host that was given up`() {
        var bench = QueueBench(running: 1)
        for number in 1...3 { bench.add(UInt64(number)) }
        let news = QueueNews.backsOff(
            until: bench.now + .seconds(1), failures: 2, QueueBench.network, isHostDown: true)
        for _ in 0..<10 { bench.send(.heard(DownloadID(1), news)) }
        bench.send(.heard(DownloadID(1), .usesMirrors))
        bench.send(.heard(DownloadID(1), .works))
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        bench.pass(.seconds(2))
        #expect(bench.running == [2])
        #expect(!bench.machine.hasHostServed(DownloadID(2)))
        #expect(bench.machine.failuresBefore(DownloadID(2)) == RetryPolicy().maximumTriesWithoutProgress - 1)
        bench.send(.heard(DownloadID(2), .works))
        #expect(bench.machine.hasHostServed(DownloadID(3)) && bench.machine.failuresBefore(DownloadID(3)) == 0)
    }

    @Test func `a download in a short back-off, or with no other download waiting, keeps its place`() {
        var bench = QueueBench(running: 1)
        let first = bench.add(1)
        let news = QueueNews.backsOff(
            until: bench.now + .seconds(30), failures: 2, QueueBench.network, isHostDown: false)
        #expect(!bench.send(.heard(first, news)).contains(.stop(first)))
        var other = QueueBench(running: 1)
        other.add(1)
        other.add(2, host: "b:80")
        let short = QueueNews.backsOff(
            until: other.now + .seconds(2), failures: 1, QueueBench.network, isHostDown: false)
        #expect(!other.send(.heard(DownloadID(1), short)).contains(.stop(DownloadID(1))))
    }

    @Test func `a download that waits too long for a connection of its host gives up its place`() {
        var bench = QueueBench(running: 1)
        let first = bench.add(1)
        bench.add(2, host: "b:80")
        #expect(!bench.send(.heard(first, .awaitingPermit)).contains(.stop(first)))
        bench.pass(.seconds(4))
        #expect(bench.last.contains(.stop(first)))
        bench.send(.ended(first, .paused))
        #expect(bench.running == [2])
        guard case .waiting(.backOff) = bench.state(1) else { return #expect(Bool(false), "does not wait") }
        bench.pass(.seconds(7))
        #expect(bench.state(1) == .queued)
    }

    @Test func `a host that does not answer is tried by one download at a time`() {
        var bench = QueueBench(running: 4, perHost: 4)
        for number in 1...4 { bench.add(UInt64(number), host: "dead:80") }
        bench.add(5, host: "b:80")
        for number in 1...4 {
            let until = bench.now + .seconds(10)
            bench.send(
                .heard(
                    DownloadID(UInt64(number)),
                    .backsOff(until: until, failures: 1, QueueBench.network, isHostDown: true)))
        }
        // One download makes room for the other host; the other three keep their places until another download needs
        // them.
        bench.send(.ended(DownloadID(1), .paused))
        #expect(bench.running.contains(5))
        for number in 2...4 { bench.send(.ended(DownloadID(UInt64(number)), .failed(QueueBench.network))) }
        bench.pass(.seconds(400))
        #expect(bench.running.filter { $0 < 5 }.count == 1)
        let prober = DownloadID(bench.running.first { $0 < 5 } ?? 0)
        bench.send(.heard(prober, .works))
        #expect(bench.running.count == 4)
    }

    @Test func `a small file that only has to be made durable gives its place to the next one`() {
        var bench = QueueBench(running: 2, perHost: 2)
        for number in 1...6 { bench.add(UInt64(number)) }
        bench.send(.heard(DownloadID(1), .finishes))
        #expect(bench.running == [1, 2, 3])
        #expect(bench.send(.heard(DownloadID(1), .finishes)) == [])
        bench.send(.heard(DownloadID(2), .finishes))
        #expect(bench.running == [1, 2, 3, 4])
        // No more of them than may run.
        bench.send(.heard(DownloadID(3), .finishes))
        #expect(bench.running == [1, 2, 3, 4])
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        #expect(bench.running == [2, 3, 4, 5])
        // One that has to fetch again takes its place back.
        bench.send(.heard(DownloadID(2), .works))
        bench.send(.ended(DownloadID(3), .completed(QueueBench.facts)))
        #expect(bench.running == [2, 4, 5])
        bench.send(.ended(DownloadID(2), .completed(QueueBench.facts)))
        #expect(bench.running == [4, 5])
        bench.send(.ended(DownloadID(4), .completed(QueueBench.facts)))
        #expect(bench.running == [5, 6])
    }

    @Test func `a download that a pause holds keeps its place, whatever it waited for before`() {
        var bench = QueueBench(running: 1)
        bench.add(1)
        bench.add(2, host: "b:80")
        bench.send(.heard(DownloadID(1), .awaitingPermit))
        bench.send(.heard(DownloadID(1), .paused))
        bench.pass(.seconds(3600))
        #expect(!bench.machine.isStopping(DownloadID(1)) && bench.running == [1])
    }

    @Test func `a small file that waited for a connection is not displaced while it is made durable`() {
        var bench = QueueBench(running: 1)
        bench.add(1)
        bench.send(.heard(DownloadID(1), .awaitingPermit))
        bench.now = bench.now + .milliseconds(2900)
        bench.send(.heard(DownloadID(1), .finishes))
        bench.add(2)
        bench.add(3)
        bench.pass(.milliseconds(200))
        #expect(!bench.machine.isStopping(DownloadID(1)) && bench.running == [1, 2])
    }

    @Test func `a host that asks for a wait gets no requests until the wait is over`() {
        var bench = QueueBench(running: 1)
        bench.add(1, host: "b:80")
        bench.add(2)
        bench.add(3, host: "c:80")
        bench.send(.hostBusy("a:80", until: bench.now + .seconds(60)))
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        #expect(bench.running == [3])
        bench.send(.ended(DownloadID(3), .completed(QueueBench.facts)))
        #expect(bench.running.isEmpty)
        #expect(bench.machine.obstacle(of: DownloadID(2), at: bench.now) == .rests(until: bench.now + .seconds(60)))
        bench.pass(.seconds(61))
        #expect(bench.running == [2])
    }

    @Test
    func `N37 when the network may be back, a host that could not be reached is tried at once, a busy one is not`() {
        var bench = QueueBench(running: 2)
        let error = DownloadError(.network, "no network", recovery: .retryAfter(nil))
        bench.add(1)
        for failures in 1...2 {
            let until = bench.now + .seconds(60)
            bench.send(
                .heard(DownloadID(1), .backsOff(until: until, failures: failures, error, isHostDown: true)))
        }
        bench.send(.ended(DownloadID(1), .paused))
        bench.add(2)
        bench.add(3, host: "b:80")
        bench.send(.hostBusy("b:80", until: bench.now + .seconds(60)))
        bench.send(.ended(DownloadID(3), .failed(QueueBench.network)))
        #expect(bench.running.isEmpty)
        bench.send(.networkChanged)
        #expect(bench.running == [2])
        #expect(!bench.machine.hasHostServed(DownloadID(3)))
        bench.send(.heard(DownloadID(2), .works))
        #expect(bench.machine.hasHostServed(DownloadID(2)))
    }

    @Test func `who is told to resume does not wait until its host has rested, and all others of that host neither`() {
        var bench = QueueBench(running: 1)
        bench.add(1, host: "b:80")
        bench.add(2)
        bench.add(3)
        bench.send(.hostBusy("a:80", until: bench.now + .seconds(60)))
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        #expect(bench.running.isEmpty)
        bench.send(.resume(DownloadID(3)))
        #expect(bench.running == [2])
        bench.pass(.seconds(61))
        #expect(bench.running == [2])
    }

    @Test func `a place of an earlier session is given back`() {
        var bench = QueueBench(running: 1)
        for number in 1...4 { bench.add(UInt64(number)) }
        let second = bench.machine[DownloadID(2)]
        bench.send(.move(DownloadID(2), .bottom))
        bench.send(.put(DownloadID(2), priority: second?.priority ?? 9, position: second?.position ?? 9))
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        #expect(bench.running == [2])
    }

    @Test func `N24 a queue without retries waits at most an hour for a host`() {
        for (retries, wait, begins) in [(0, 3601, true), (0, 3600, false), (1, 3601, false)] {
            var bench = QueueBench(running: 1, retries: retries)
            bench.add(1)
            bench.add(2)
            bench.send(.hostBusy("a:80", until: bench.now + .seconds(wait)))
            bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
            #expect(bench.running == (begins ? [2] : []), "\(wait) s with \(retries) retries")
        }
    }

    // MARK: Failures

    @Test func `a temporary failure is retried up to the limit, and then the download has failed`() {
        var bench = QueueBench(running: 1, retries: 2)
        let id = bench.add(1)
        for _ in 0..<2 {
            bench.send(.ended(id, .failed(QueueBench.network)))
            guard case .waiting(.backOff) = bench.state(1) else { return #expect(Bool(false), "does not wait") }
            bench.pass(.seconds(600))
            #expect(bench.running == [1])
        }
        bench.send(.ended(id, .failed(QueueBench.network)))
        #expect(bench.last.contains(.failed(id, QueueBench.network)))
        #expect(bench.state(1) == .failed(QueueBench.network))
        bench.send(.resume(id))
        #expect(bench.running == [1])
    }

    @Test(arguments: [DownloadError.Recovery.giveUp, .restart, .reconnect])
    func `a failure that a retry cannot solve fails the download at once`(recovery: DownloadError.Recovery) {
        var bench = QueueBench(running: 1)
        let id = bench.add(1)
        let error = DownloadError(.notFound, "gone", recovery: recovery)
        bench.send(.ended(id, .failed(error)))
        #expect(bench.state(1) == .failed(error))
        #expect(bench.machine.holder(of: 1) == nil, "its target is free again")
    }

    // MARK: Disks

    @Test func `a download that does not fit on the disk waits before it starts, and starts once there is space`() {
        var bench = QueueBench(running: 2)
        let id = bench.add(1, total: 1000)
        #expect(bench.last.contains(.measure(id, directory: "/d")))
        bench.send(.measured(id, disk: 9, available: 500))
        guard case .waiting(.diskFull(let error)) = bench.state(1) else { return #expect(Bool(false), "does not wait") }
        #expect(error.message.contains("1000") && error.message.contains("500"))
        bench.pass(.seconds(11))
        bench.send(.measured(id, disk: 9, available: 5000))
        #expect(bench.last.contains(.start(id)))
    }

    @Test func `the space that running downloads still need is reserved`() {
        var bench = QueueBench(running: 2)
        let first = bench.add(1, total: 800)
        bench.send(.measured(first, disk: 9, available: 1000))
        let second = bench.add(2, total: 300)
        bench.send(.measured(second, disk: 9, available: 1000))
        guard case .waiting(.diskFull) = bench.state(2) else { return #expect(Bool(false), "would not fit") }
        // The download has reserved its space on the disk itself, so the system's figure already includes it.
        bench.send(.advanced(first, total: 800, stored: 10, unreserved: 0))
        bench.pass(.seconds(11))
        bench.send(.measured(second, disk: 9, available: 310))
        #expect(bench.last.contains(.start(second)))
    }

    @Test func `a full disk keeps the downloads to it waiting, and no others`() {
        var bench = QueueBench(running: 1)
        let first = bench.add(1, total: 10)
        bench.send(.measured(first, disk: 9, available: 1000))
        bench.add(2)
        bench.add(3, directory: "/other")
        bench.send(.ended(first, .failed(QueueBench.full)))
        guard case .waiting(.diskFull) = bench.state(1), case .waiting(.diskFull) = bench.state(2) else {
            return #expect(Bool(false), "they do not wait")
        }
        #expect(bench.running == [3])
        bench.send(.ended(DownloadID(3), .completed(QueueBench.facts)))
        bench.pass(.seconds(11))
        #expect(bench.running.count == 1)
    }

    @Test(arguments: [ExistingFilePolicy.skip, .fail])
    func `a file that another process is downloading is waited for, where it is left as it is`(
        policy: ExistingFilePolicy
    ) {
        var bench = QueueBench(running: 1, retries: 0)
        let locked = DownloadError(.locked, "held", recovery: .retryAfter(nil))
        bench.policy = policy
        bench.add(1)
        bench.add(2, host: "b:80")
        bench.send(.ended(DownloadID(1), .failed(locked)))
        #expect(bench.running == [2], "its place is another's")
        guard policy == .skip else { return #expect(bench.state(1) == .failed(locked)) }
        bench.send(.ended(DownloadID(2), .completed(QueueBench.facts)))
        for _ in 0..<100 {
            bench.pass(.seconds(1))
            #expect(bench.running == [1])
            bench.send(.ended(DownloadID(1), .failed(locked)))
        }
    }

    // MARK: Requests in a time

    @Test func `downloads of a host begin as its requests are due, and keep no place from those of others`() {
        var bench = QueueBench(running: 4, perHost: 4, rate: RequestRate(2, per: .seconds(1)))
        for number in 1...3 { bench.add(UInt64(number)) }
        bench.add(4, host: "b:80")
        #expect(bench.running == [1, 4])
        bench.pass(.milliseconds(499))
        #expect(bench.running == [1, 4] && bench.machine.nextWakeUp == Instant.zero + .milliseconds(500))
        bench.pass(.milliseconds(1))
        #expect(bench.running == [1, 2, 4])
        bench.send(.ended(DownloadID(1), .completed(QueueBench.facts)))
        bench.send(.ended(DownloadID(2), .completed(QueueBench.facts)))
        #expect(bench.running == [4])
        bench.pass(.milliseconds(500))
        #expect(bench.running == [3, 4])
        // A host that nobody names is not forgotten before its next request is due.
        bench.send(.ended(DownloadID(4), .completed(QueueBench.facts)))
        bench.send(.ended(DownloadID(3), .completed(QueueBench.facts)))
        bench.add(5)
        #expect(bench.running.isEmpty)
        bench.pass(.milliseconds(500))
        #expect(bench.running == [5])
    }

    @Test func `a file that exists costs no time, since its host is not asked`() {
        var bench = QueueBench(running: 1, rate: RequestRate(2, per: .seconds(1)))
        for number in 1...50 { bench.add(UInt64(number)) }
        var facts = QueueBench.facts
        facts.skipReason = .exists
        for number in 1...49 {
            #expect(bench.running == [UInt64(number)])
            bench.send(.ended(DownloadID(UInt64(number)), .completed(facts)))
        }
        // One that was asked for by name, and then found to exist, counts.
        facts.response = ResponseFacts(status: 206)
        #expect(bench.running == [50])
        bench.send(.ended(DownloadID(50), .completed(facts)))
        bench.add(51)
        #expect(bench.running.isEmpty)
    }

    // MARK: After a restart

    @Test func `after a restart the order and pauses are restored, and downloads that ran go first`() {
        var bench = QueueBench(running: 1)
        for number in 1...3 { bench.add(UInt64(number)) }
        bench.send(.pause(DownloadID(3)))
        bench.send(.move(DownloadID(2), .top))
        let saved = bench.machine.ids.compactMap { bench.machine[$0] }
        var again = QueueBench(running: 1)
        again.send(.restore(saved))
        #expect(again.order == [2, 1, 3])
        #expect(again.running == [1])
        #expect(again.state(3) == .paused)
    }

}
