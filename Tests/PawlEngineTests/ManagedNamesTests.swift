import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

/// Server-chosen names, and the effects of a pool's downloads on each other.
@Suite("Downloads of one pool, simulated")
struct PoolTests {
    private struct World {
        let runtime: SimulatedRuntime
        let disk: SimulatedDisk
        let hosts: SimulatedHosts
        let pool: DownloadPool

        init(
            _ origins: [String: SimulatedOrigin], running: Int = 8, inOrder: Bool = false, largestHeldFile: Int64 = 0,
            runsSmall: Bool = false, seed: UInt64 = 5,
            _ configure: @escaping @Sendable (inout Plan) -> Void = { _ in }
        ) {
            (runtime, disk) = (SimulatedRuntime(seed: seed, now: .zero), SimulatedDisk(seed: seed))
            disk.makeDirectory("/d")
            hosts = SimulatedHosts(origins, runtime: runtime)
            var ports = Ports(transport: hosts, storage: disk, runtime: runtime, digests: SimulatedDigests())
            ports.largestHeldFile = largestHeldFile
            ports.runsSmall = runsSmall
            var limits = QueueMachine.Limits()
            limits.maximumRunning = running
            pool = DownloadPool(
                ports: ports, runner: SimulatedRunner(ports, configure: configure), limits: limits,
                namesInOrder: inOrder)
        }

        @discardableResult
        func add(_ text: String, named name: String? = nil, renames: Bool = false) throws -> DownloadID? {
            let target = SimulatedRunner.target("/d", name ?? "\0" + text)
            var plan = Plan(try HTTPURL(parsing: text), in: "/d", named: name)
            plan.renamesTaken = renames
            guard case .new(let id) = pool.add(plan, target: target) else { return nil }
            return id
        }

        func settle(_ limit: Duration = .seconds(3600)) -> Bool {
            _ = runtime.run(limit: limit) { pool.snapshots.allSatisfy { !$0.entry.state.isAlive } }
            return pool.snapshots.allSatisfy { !$0.entry.state.isAlive }
        }

        func pass(_ time: Duration) {
            let isOver = Locked(false)
            runtime.after(time) { isOver.withLock { $0 = true } }
            _ = runtime.run(limit: time + .seconds(1)) { isOver.withLock { $0 } }
        }

        func state(_ id: DownloadID?) -> QueueEntry.State? { id.flatMap { pool.entry($0)?.state } }
    }

    private static func origin(_ seed: UInt64, size: Int = 30_000, named name: String? = nil) -> SimulatedOrigin {
        var origin = SimulatedOrigin(versions: [
            .init(
                bytes: EngineBench.bytes(size, seed), entityTag: "\"\(seed)\"",
                lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        origin.bytesPerSecond = 20_000
        if let name { origin.fields = [HTTPField("content-disposition", "attachment; filename=\"\(name)\"")] }
        return origin
    }

    @Test(arguments: [0, 128 << 10], [false, true])
    func `one that waits for a connection does not keep those that have all of them from their names`(
        largestHeldFile: Int64, runsSmall: Bool
    ) throws {
        var origin = Self.origin(1)
        origin.latency = .milliseconds(500)
        let world = World(
            ["a.example:80": origin], inOrder: true, largestHeldFile: largestHeldFile, runsSmall: runsSmall)
        world.pool.ports.gate.setCap("a.example:80", 3, at: world.runtime.now)
        let others = try (1...3).map { try world.add("http://a.example/\($0)") }
        world.pass(.milliseconds(100))
        // In front of them, and without a connection.
        let first = try #require(try world.add("http://a.example/0"))
        world.pool.move(first, to: .top)
        #expect(world.settle(.seconds(8)))
        for id in others + [first] {
            guard case .completed? = world.state(id) else {
                Issue.record("\(String(describing: world.state(id)))")
                continue
            }
        }
    }

    /// A slow server's file is in front of a fast one's of the same name.
    private static func slowAndFast() -> [String: SimulatedOrigin] {
        var origins = ["a.example:80": origin(1, named: "file"), "b.example:80": origin(2, named: "file")]
        origins["a.example:80"]?.latency = .seconds(3)
        return origins
    }

    private static func error(_ state: QueueEntry.State?) -> DownloadError? {
        if case .failed(let error)? = state { error } else { nil }
    }

    private static func name(_ state: QueueEntry.State?) -> String? {
        if case .completed(let facts)? = state { facts.fileName } else { nil }
    }

    @Test(arguments: ExistingFilePolicy.allCases, [false, true])
    func `of two downloads whose servers choose the same name, neither overwrites the other`(
        policy: ExistingFilePolicy, renames: Bool
    ) throws {
        let origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        let world = World(origins) { $0.ifExists = policy }
        let first = try world.add("http://a.example/x", renames: renames)
        let second = try world.add("http://b.example/y", renames: renames)
        #expect(world.settle())
        #expect(Self.name(world.state(first)) == "file")
        #expect(world.disk.contents(of: "/d/file") == origins["a.example:80"]?.versions[0].bytes)
        if renames || policy == .rename {
            #expect(Self.name(world.state(second)) == "file (1)")
            #expect(world.disk.contents(of: "/d/file (1)") == origins["b.example:80"]?.versions[0].bytes)
            #expect(world.disk.names(in: "/d") == ["file", "file (1)"])
        } else {
            #expect(Self.error(world.state(second))?.code == .fileExists)
            #expect(Self.error(world.state(second))?.message.contains("Another download") == true)
            #expect(world.disk.names(in: "/d") == ["file"])
        }
    }

    @Test func `five downloads with rename get five names and skip an existing file`() throws {
        var origins: [String: SimulatedOrigin] = [:]
        for number in 0..<5 { origins["h\(number).example:80"] = Self.origin(UInt64(number), named: "file") }
        let world = World(origins)
        world.disk.install("/d/file (2)", [7])
        let ids = try (0..<5).map { try world.add("http://h\($0).example/f", renames: true) }
        #expect(world.settle())
        #expect(Set(ids.compactMap { Self.name(world.state($0)) }).count == 5)
        #expect(world.disk.contents(of: "/d/file (2)") == [7])
        #expect(world.disk.names(in: "/d").count == 6)
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `a name made by renaming replaces no existing file`(policy: ExistingFilePolicy) throws {
        let origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        let world = World(origins) { $0.ifExists = policy }
        world.disk.install("/d/file (1)", [7])
        let first = try world.add("http://a.example/x", renames: true)
        let second = try world.add("http://b.example/y", renames: true)
        #expect(world.settle())
        #expect(Self.name(world.state(first)) == "file")
        #expect(Self.name(world.state(second)) == "file (2)")
        #expect(world.disk.contents(of: "/d/file (1)") == [7])
        #expect(world.disk.contents(of: "/d/file (2)") == origins["b.example:80"]?.versions[0].bytes)
    }

    /// However long the first server takes, up to ten seconds.
    @Test(arguments: [5, 700, 4000], ExistingFilePolicy.allCases)
    func `of two downloads whose servers choose the same name, the first in the queue gets it`(
        milliseconds: Int, policy: ExistingFilePolicy
    ) throws {
        var origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        origins["a.example:80"]?.latency = .milliseconds(milliseconds)
        let world = World(origins, inOrder: true) { $0.ifExists = policy }
        let first = try world.add("http://a.example/x")
        let second = try world.add("http://b.example/y")
        #expect(world.settle())
        #expect(Self.name(world.state(first)) == "file")
        #expect(world.disk.contents(of: "/d/file") == origins["a.example:80"]?.versions[0].bytes)
        if policy == .rename {
            #expect(Self.name(world.state(second)) == "file (1)")
        } else {
            #expect(Self.error(world.state(second))?.code == .fileExists)
            #expect(world.disk.names(in: "/d") == ["file"])
        }
    }

    @Test(arguments: ExistingFilePolicy.allCases, [Int64(0), 1 << 20])
    func `M17 in one run, a file that is finished keeps its name, whoever names the other one`(
        policy: ExistingFilePolicy, largestHeldFile: Int64
    ) throws {
        let origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        for name in [nil, "file"] {
            let world = World(origins, running: 1, inOrder: true, largestHeldFile: largestHeldFile) {
                $0.ifExists = policy
            }
            // A file from before the run is replaced.
            if policy == .replace { world.disk.install("/d/file", [7]) }
            let first = try world.add("http://a.example/x")
            var second = name == nil ? try world.add("http://b.example/y") : nil
            #expect(world.settle())
            if name != nil { second = try world.add("http://b.example/y", named: name) }
            #expect(world.settle())
            #expect(Self.name(world.state(first)) == "file")
            #expect(world.disk.contents(of: "/d/file") == origins["a.example:80"]?.versions[0].bytes)
            switch policy {
            case .rename: #expect(Self.name(world.state(second)) == "file (1)")
            case .skip, .fail, .replace:
                #expect(Self.error(world.state(second))?.code == .fileExists)
                #expect(world.disk.names(in: "/d") == ["file"])
            }
        }
    }

    @Test func `a download that is added later may replace what an earlier one finished`() throws {
        let origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        let world = World(origins) { $0.ifExists = .replace }
        try world.add("http://a.example/x")
        #expect(world.settle())
        let second = try world.add("http://b.example/y")
        #expect(world.settle())
        #expect(Self.name(world.state(second)) == "file")
        #expect(world.disk.contents(of: "/d/file") == origins["b.example:80"]?.versions[0].bytes)
    }

    @Test func `a server that is slower than ten seconds loses its turn, and one that cannot be reached gives it up`()
        throws
    {
        var origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        origins["a.example:80"]?.latency = .seconds(25)
        let slow = World(origins, inOrder: true)
        try slow.add("http://a.example/x")
        let second = try slow.add("http://b.example/y")
        #expect(slow.settle())
        #expect(Self.name(slow.state(second)) == "file")
        // There is no such host.
        let missing = World(["b.example:80": Self.origin(2, named: "file")], inOrder: true)
        try missing.add("http://a.example/x")
        let other = try missing.add("http://b.example/y")
        #expect(missing.settle())
        #expect(Self.name(missing.state(other)) == "file")
    }

    @Test func `a queued download's name is not taken by a server's choice, nor the other way round`() throws {
        let origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2)]
        let world = World(origins, running: 1)
        let first = try world.add("http://a.example/x")
        let second = try world.add("http://b.example/y", named: "file")
        #expect(world.settle())
        #expect(Self.error(world.state(first))?.code == .fileExists)
        #expect(Self.name(world.state(second)) == "file")

        let other = World(origins)
        try other.add("http://a.example/x")
        _ = other.runtime.run(limit: .milliseconds(500)) { false }
        #expect(other.disk.exists("/d/file.part"))
        // The download owns the name by now, so no other download gets it.
        #expect(try other.add("http://b.example/y", named: "file") == nil)
        #expect(other.settle())
        // The name is free again.
        #expect(try other.add("http://b.example/y", named: "file") != nil)
    }

    // MARK: Connections of a host

    /// A server that closes each connection beyond three.
    private static func mean(_ excess: SimulatedOrigin.Excess) -> SimulatedOrigin {
        var origin = origin(1, size: 60_000)
        origin.maximumConnections = 3
        origin.excess = excess
        return origin
    }

    @Test(arguments: [SimulatedOrigin.Excess.reset, .status(503), .status(429)])
    func `a host's refusal of one download's connections limits all downloads from it`(
        excess: SimulatedOrigin.Excess
    ) throws {
        let world = World(["a.example:80": Self.mean(excess)]) { $0.settings.maximumConnections = 1 }
        let ids = try (0..<24).map { try world.add("http://a.example/\($0)", named: "\($0)") }
        #expect(world.settle())
        for id in ids { #expect(Self.name(world.state(id)) != nil, "\(String(describing: world.state(id)))") }
        // A file takes three seconds, and the server accepts three connections at once; one more is tried each minute.
        #expect(world.hosts.requestCount < 24 + 16, "\(world.hosts.requestCount)")
    }

    @Test func `an unreachable host does not lower its connection limit`() throws {
        let world = World([:])
        for number in 0..<6 { try world.add("http://a.example/\(number)", named: "\(number)") }
        #expect(world.settle())
        #expect(world.pool.ports.gate.limit == 8)
        #expect(world.pool.ports.gate.cap(of: "a.example:80") == nil)
    }

    @Test(arguments: [0, 128 << 10] as [Int64], [false, true])
    func `one that is paused while it waits for its name takes none`(largestHeldFile: Int64, runsSmall: Bool) throws {
        let origins = Self.slowAndFast()
        let world = World(origins, inOrder: true, largestHeldFile: largestHeldFile, runsSmall: runsSmall)
        let first = try world.add("http://a.example/x")
        let second = try #require(try world.add("http://b.example/y"))
        world.pass(.seconds(1))
        world.pool.pause(second)
        world.pass(.seconds(1))
        #expect(world.state(second) == .paused)
        #expect(world.disk.names(in: "/d").isEmpty)
        world.pass(.seconds(20))
        #expect(Self.name(world.state(first)) == "file")
        #expect(world.disk.names(in: "/d") == ["file"])
        world.pool.resume(second)
        #expect(world.settle())
        #expect(Self.error(world.state(second))?.code == .fileExists)
    }

    /// Whichever is measured, answered or named first, and while the other is still being finished.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `of two of a list with one name, the first gets it, and the other says so`(seed: UInt64) throws {
        let origins = ["a.example:80": Self.origin(1, named: "file"), "b.example:80": Self.origin(2, named: "file")]
        let world = World(origins, inOrder: true, largestHeldFile: 128 << 10, runsSmall: seed % 2 == 0, seed: seed) {
            $0.ifExists = .skip
        }
        if seed % 4 < 2 {
            // Then it is known that nothing unfinished stands there.
            try world.add("http://c.example/other")
            _ = world.settle()
        }
        let first = try world.add("http://a.example/x")
        let second = try world.add("http://b.example/y")
        #expect(world.settle())
        #expect(Self.name(world.state(first)) == "file")
        #expect(world.disk.contents(of: "/d/file") == origins["a.example:80"]?.versions[0].bytes)
        #expect(Self.error(world.state(second))?.code == .fileExists)
    }

    @Test func `a turn is passed to all who wait for it in the name of one download`() throws {
        let world = World(Self.slowAndFast(), inOrder: true)
        try world.add("http://a.example/x")
        let second = try #require(try world.add("http://b.example/y"))
        world.pass(.milliseconds(500))
        let proceeded = Locked<[Int]>([])
        // One that goes the short way asks, and then whoever has taken over from it; or the other way round.
        for number in 1...2 { world.pool.takeTurn(second) { proceeded.withLock { $0.append(number) } } }
        #expect(proceeded.withLock { $0.isEmpty })
        world.pass(.seconds(8))
        #expect(proceeded.withLock { $0 } == [1, 2])
    }

    @Test(arguments: [false, true]) func `what has come is kept by a pause`(isTimetable: Bool) throws {
        var origin = Self.origin(1, size: 100_000)
        origin.bytesPerSecond = 110_000
        let origins = ["a.example:80": origin, "b.example:80": Self.origin(2, size: 100)]
        let world = World(origins, largestHeldFile: 128 << 10, runsSmall: true)
        // The first one looks whether there is anything to go on with.
        try world.add("http://b.example/first")
        #expect(world.settle())
        let id = try #require(try world.add("http://a.example/x"))
        world.pass(.milliseconds(600))
        #expect(world.disk.names(in: "/d") == ["first"], "it is in memory")
        let noon = WeekTime(weekday: 0, secondsOfDay: 12 * 3600)
        let pause = try #require(SpeedSchedule(parsing: "08:00,pause 22:00,off").pause(at: noon))
        if isTimetable { world.pool.ports.gate.pause = pause } else { world.pool.pause(id) }
        world.pass(.seconds(1))
        #expect(try #require(world.pool.entry(id)).stored > 20_000)
        // A timetable's pause leaves it where it is, until the next checkpoint.
        if !isTimetable { #expect(world.disk.names(in: "/d").contains("x.part")) }
        if isTimetable { world.pool.ports.gate.pause = nil } else { world.pool.resume(id) }
        #expect(world.settle())
        #expect(world.disk.contents(of: "/d/x") == origin.versions[0].bytes)
    }
}
