import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import PawlTestKit
import Synchronization
import Testing

@testable import PawlServer

/// The consequences of a job's end: for its program, for the session, and for its secrets.
@Suite("The ends of the service's jobs", .timeLimit(.minutes(2)))
struct JobEndTests {
    private static let content = FileBehaviour.pattern(count: 200_000)

    /// One service after the other over one database, with a server and a directory for the downloads.
    private final class World: Sendable {
        let server: ScriptedServer
        let directory: TemporaryDirectory
        let hold = Hold()
        /// Why nothing may be stored now.
        let refusal = Locked<DownloadError?>(nil)
        private let service = Locked<JobService?>(nil)
        private let storesSecrets: Bool

        init(holds: Bool, storesSecrets: Bool, _ change: (inout FileBehaviour) -> Void) throws {
            self.storesSecrets = storesSecrets
            var behaviour = FileBehaviour(content: JobEndTests.content)
            if holds { behaviour.stall = hold.stall(afterBytes: 50_000) }
            change(&behaviour)
            server = try ScriptedServer(file: behaviour)
            directory = try TemporaryDirectory("ends", in: TemporaryDirectory.memory)
            try Files.makeDirectory(directory.file("files"))
        }

        var database: String { directory.file("pawl.sqlite") }

        @discardableResult
        func start(hook: [String] = []) throws -> JobService {
            var configuration = JobService.Configuration(path: database)
            configuration.manager.storesSecrets = storesSecrets
            configuration.manager.placeRefusal = { [self] _ in refusal.withLock { $0 } }
            configuration.hook = hook
            let fresh = try JobService(configuration)
            service.withLock { $0 = fresh }
            return fresh
        }

        func stop() async {
            let old = service.withLock { service in
                defer { service = nil }
                return service
            }
            await old?.shutdown()
        }

        func spec(_ name: String, id: String) -> JobSpec {
            var spec = JobSpec(server.url("/\(name)"))
            spec.directory = directory.file("files")
            spec.id = id
            return spec
        }

        /// A shell script that the service runs.
        func script(_ lines: String) throws -> [String] {
            let path = directory.file("hook")
            try Files.write(Array((lines + "\n").utf8), to: path)
            return ["/bin/sh", path]
        }

        /// The lines that programs have written.
        var told: [String] {
            (try? Files.text(directory.file("told")))?.split(separator: "\n").map { String($0) } ?? []
        }

        var names: [String] { (try? Files.names(directory.file("files")).sorted()) ?? [] }

        func holds(_ secret: String) throws -> Bool {
            try ["pawl.sqlite", "pawl.sqlite-wal"].contains {
                try Files.read(directory.file($0)).contains(Array(secret.utf8))
            }
        }
    }

    private static func inWorld(
        holds: Bool = false, storesSecrets: Bool = true, _ change: (inout FileBehaviour) -> Void = { _ in },
        _ body: (World) async throws -> Void
    ) async throws {
        let world = try World(holds: holds, storesSecrets: storesSecrets, change)
        do {
            try await body(world)
        } catch {
            await world.stop()
            world.server.stop()
            throw error
        }
        await world.stop()
        world.server.stop()
    }

    private static func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    private static func add(_ spec: JobSpec, to service: JobService, isPaused: Bool = false) async throws -> StoredJob {
        var job = JobService.NewJob(spec)
        job.isPaused = isPaused
        return try await service.add([job])[0].get().job
    }

    private static func logs(_ code: String, _ job: StoredJob, _ service: JobService) throws -> Bool {
        try service.store.log(of: job.number).contains { $0.code == code }
    }

    // MARK: Programs

    @Test(arguments: ["KILL", "TERM", "SEGV"])
    func `P18 a program that a signal ended runs again after the next start, and not before`(
        _ signal: String
    )
        async throws
    {
        try await Self.inWorld { world in
            let hook = try world.script(
                """
                cd '\(world.directory.path)'
                echo "$PAWL_ID $PAWL_STATUS" >> told
                test -e again || { touch again; kill -\(signal) $$; }
                """)
            let service = try world.start(hook: hook)
            let job = try await Self.add(world.spec("a", id: "one"), to: service)
            // An entry of a log follows within a second, and the edit of an end would be committed with it.
            try await Self.until { try Self.logs("hookFailed", job, service) }
            let messages = try service.store.log(of: job.number).map(\.message)
            #expect(world.told == ["one completed"], "\(messages)")
            #expect(try service.store.numbersWithHooks() == [job.number])
            await world.stop()
            let next = try world.start(hook: hook)
            try await Self.until { try next.store.numbersWithHooks().isEmpty }
            #expect(world.told == ["one completed", "one completed"])
        }
    }

    @Test func `P18 a program that exits with any status has run`() async throws {
        try await Self.inWorld { world in
            let hook = try world.script("echo $PAWL_ID >> '\(world.directory.file("told"))'; exit 9")
            let service = try world.start(hook: hook)
            let job = try await Self.add(world.spec("a", id: "one"), to: service)
            try await Self.until { try Self.logs("hookFailed", job, service) }
            try await Self.until { try service.store.numbersWithHooks().isEmpty }
            await world.stop()
            try world.start(hook: hook)
            await world.stop()
            #expect(world.told == ["one"])
        }
    }

    @Test func `P19 a program that cannot be started is named in the log, and tried again after the next start`()
        async throws
    {
        try await Self.inWorld { world in
            let service = try world.start(hook: [world.directory.file("missing")])
            let job = try await Self.add(world.spec("a", id: "one"), to: service)
            try await Self.until { try Self.logs("hookFailed", job, service) }
            #expect(try service.store.numbersWithHooks() == [job.number])
            await world.stop()
            let next = try world.start(hook: try world.script("echo $PAWL_ID >> '\(world.directory.file("told"))'"))
            try await Self.until { try next.store.numbersWithHooks().isEmpty }
            #expect(world.told == ["one"])
        }
    }

    @Test func `P17 the program of a job runs although one of a removed job with this id still runs`() async throws {
        try await Self.inWorld { world in
            let hook = try world.script(
                """
                cd '\(world.directory.path)'
                echo "$PAWL_FILE" >> told
                while [ -e hook ] && [ ! -e gate ]; do sleep 0.05; done
                """)
            let service = try world.start(hook: hook)
            _ = try await Self.add(world.spec("a", id: "one"), to: service)
            try await Self.until { world.told.count == 1 }
            try await service.remove("one", deletesFiles: false)
            _ = try await Self.add(world.spec("b", id: "one"), to: service)
            try await Self.until { world.told.count == 2 }
            try Files.write([], to: world.directory.file("gate"))
            #expect(world.told == ["a", "b"].map { world.directory.file("files/\($0)") })
        }
    }

    @Test func `P20 the program of a job that fails because the session has lost its download runs at once`()
        async throws
    {
        try await Self.inWorld(storesSecrets: false) { world in
            var spec = world.spec("a", id: "one")
            spec.authentication = .bearer(.value("swordfish"))
            let job = try await Self.add(spec, to: try world.start(), isPaused: true)
            await world.stop()
            let store = try Store(world.database)
            try SessionTable(store).save([.remove(try #require(job.download))])
            store.close()
            let hook = try world.script("echo \"$PAWL_ID $PAWL_STATUS\" >> '\(world.directory.file("told"))'")
            let service = try world.start(hook: hook)
            try await Self.until { try service.job("one").state == .failed }
            try await Self.until { try service.store.numbersWithHooks().isEmpty && !world.told.isEmpty }
            #expect(world.told == ["one failed"])
        }
    }

    @Test(arguments: [false, true])
    func `H19 the program of a job that is refused while the one for its earlier end runs is run, removed or not`(
        isRemoved: Bool
    ) async throws {
        try await Self.inWorld({ $0.statusOverrides = [1: 404, 2: 404] }) { world in
            let hook = try world.script(
                """
                cd '\(world.directory.path)'
                echo "$PAWL_ID $PAWL_CODE" >> told
                while [ -e hook ] && [ ! -e gate ]; do sleep 0.05; done
                """)
            let service = try world.start(hook: hook)
            var spec = world.spec("a", id: "one")
            spec.fileName = "same"
            _ = try await Self.add(spec, to: service)
            try await Self.until { world.told.count == 1 }
            // With another request, the job has to get its name again.
            var changes = JobService.Changes()
            changes.connections = 2
            try await service.change("one", changes)
            var other = world.spec("b", id: "two")
            other.fileName = "same"
            _ = try await Self.add(other, to: service, isPaused: true)
            try await service.retry("one")
            try await Self.until { try service.job("one").state == .failed }
            let code = try #require(try service.job("one").failure?.code)
            if isRemoved { try await service.remove("one", deletesFiles: false) }
            #expect(world.told.count == 1, "the first program still runs")
            try Files.write([], to: world.directory.file("gate"))
            try await Self.until { world.told.count == 2 && service.state.withLock { $0.runs.isEmpty } }
            #expect(world.told.last == "one \(code)")
            #expect(world.told.first != world.told.last)
            try await Self.until { try service.store.numbersWithHooks().isEmpty }
        }
    }

    /// Runs nothing, and remembers the ends that it was asked for, and how many there were at each decision.
    private final class Ends: Sendable {
        struct Port: JobHookPort {
            let ends: Ends
            let end: String

            func check(_ spec: JobSpec) {}

            func run(
                _ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome,
                _ ended: @escaping @Sendable (HookEnding) -> Void
            ) {
                ends.runs.withLock { $0.append(end) }
                ended(.exited(0))
            }
        }

        let runs = Locked<[String]>([])
        let counts = Locked<[Int]>([])
        private let decisions: Locked<[RecordedHooks.Decision]>

        init(_ decisions: RecordedHooks.Decision...) { self.decisions = Locked(decisions) }

        func decide() -> RecordedHooks.Decision {
            let count = runs.withLock { $0.count }
            counts.withLock { $0.append(count) }
            return decisions.withLock { $0.removeFirst() }
        }

        func ending() async -> HookEnding {
            let hooks = RecordedHooks {
                Port(ends: self, end: $0)
            } _: {
                self.decide()
            }
            let file = JobFile(spec: JobSpec("http://h/"))
            return await withCheckedContinuation { continuation in
                hooks.run(JobFileID(1), file, .stopped(.fetch, fetched: nil)) { continuation.resume(returning: $0) }
            }
        }
    }

    @Test func `P16 a program starts only once its end is durable`() async {
        let ends = Ends(.notYet, .run(end: "e"))
        #expect(await ends.ending() == .exited(0))
        #expect(ends.counts.withLock { $0 } == [0, 0], "nothing ran before the commit")
        #expect(ends.runs.withLock { $0 } == ["e"])
    }

    @Test func `P16 a program whose end was superseded, or whose service stops, is not run`() async {
        let ends = Ends(.needless)
        #expect(await ends.ending() == .notRun)
        #expect(ends.runs.withLock { $0 }.isEmpty)
    }

    // MARK: The session

    /// The session as it was while the download ran, as a kill right after the commit of the job's end leaves it.
    private static func turnBack(_ records: [SessionRecord], _ world: World) throws {
        let store = try Store(world.database)
        defer { store.close() }
        try SessionTable(store).save(records.map { .put($0) })
    }

    /// A job that is completed, with the session of the moment when it ran, and no service.
    private static func completeUnrecorded(in world: World) async throws -> StoredJob {
        let service = try world.start()
        let job = try await add(world.spec("a", id: "one"), to: service)
        try await until { try service.job("one").state == .running }
        #expect(await service.manager.saveSession())
        let records = try SessionTable(service.store).load()
        world.hold.end()
        try await until { try service.job("one").state == .completed }
        await world.stop()
        try turnBack(records, world)
        return job
    }

    @Test func `P21 a completed job whose end the session has not recorded is not downloaded again`() async throws {
        try await Self.inWorld(holds: true) { world in
            let job = try await Self.completeUnrecorded(in: world)
            Files.remove(world.directory.file("files/a"))
            let asked = world.server.requests.count
            let next = try world.start()
            let download = try #require(job.download)
            #expect(next.manager.state(of: download)?.isAlive == false)
            // One added now is behind it, would it run.
            _ = try await Self.add(world.spec("b", id: "two"), to: next)
            try await Self.until { try next.job("two").state == .completed }
            #expect(world.server.requests.dropFirst(asked).allSatisfy { $0.target == "/b" })
            try await Self.until { world.names == ["b"] }
            #expect(try next.job("one").state == .completed)
        }
    }

    @Test(arguments: [true, false])
    func `P27 a completed job whose end the session has not recorded is removed with its file or without`(
        deletesFiles: Bool
    ) async throws {
        try await Self.inWorld(holds: true) { world in
            _ = try await Self.completeUnrecorded(in: world)
            let next = try world.start()
            try await next.remove("one", deletesFiles: deletesFiles)
            try await Self.until { world.names == (deletesFiles ? [] : ["a"]) }
        }
    }

    @Test func `P21 a failed job whose end the session has not recorded waits for its retry`() async throws {
        try await Self.inWorld({ $0.statusOverrides = [1: 404, 2: 404] }) { world in
            let service = try world.start()
            let job = try await Self.add(world.spec("a", id: "one"), to: service, isPaused: true)
            #expect(await service.manager.saveSession())
            // It is to run, as a session says that was saved once it ran.
            let download = try #require(job.download)
            try service.manager.resume(download)
            try await Self.until { service.manager.state(of: download).map { !$0.isAlive } ?? false }
            let failed = try service.job("one")
            #expect(failed.state == .paused)
            _ = try await service.store.edit([
                JobEdit(number: job.number) { $0.state = .failed }
            ])
            await world.stop()
            var record = try Self.entry(download, world)
            record.entry.state = .queued
            try Self.turnBack([SessionCoding.encode(record, at: .zero, wallClock: 0)], world)
            let asked = world.server.requests.count
            let next = try world.start()
            #expect(next.manager.state(of: download) == .paused)
            #expect(world.server.requests.count == asked)
            try await next.retry("one")
            try await Self.until { try next.job("one").state == .completed }
        }
    }

    private static func entry(_ id: DownloadID, _ world: World) throws -> StoredDownload {
        let store = try Store(world.database)
        defer { store.close() }
        let record = try #require(try SessionTable(store).load().first { $0.id == id })
        return try #require(SessionCoding.decode(record, at: .zero, wallClock: 0))
    }

    // MARK: Finished files

    @Test func `P23 a finished archive outside the allowed directories is not unpacked`() async throws {
        try await Self.inWorld { world in
            let service = try world.start()
            _ = try await Self.add(world.spec("a.zip", id: "one"), to: service)
            try await Self.until { try service.job("one").state == .completed }
            world.refusal.withLock { $0 = DownloadError(.notWritable, "It is outside.", recovery: .giveUp) }
            let refusal = await #expect(throws: JobService.Refusal.self) { try await service.extract("one") }
            #expect(refusal == .conflict(JobService.Conflict(.outsideRoots, "It is outside.")))
            try await Self.until { world.names == ["a.zip"] }
        }
    }

    // MARK: Secrets

    @Test func `P24 the secrets of a removed job leave the disk while the service runs`() async throws {
        try await Self.inWorld { world in
            let service = try world.start()
            var spec = world.spec("a", id: "one")
            spec.authentication = .bearer(.value("swordfish"))
            _ = try await Self.add(spec, to: service, isPaused: true)
            #expect(try world.holds("swordfish"))
            try await service.remove("one", deletesFiles: false)
            try await Self.until { try !world.holds("swordfish") }
        }
    }

    @Test func `P24 the secrets of a request that another has replaced leave the disk while the service runs`()
        async throws
    {
        try await Self.inWorld { world in
            let service = try world.start()
            var spec = world.spec("a", id: "one")
            spec.authentication = .bearer(.value("swordfish"))
            _ = try await Self.add(spec, to: service, isPaused: true)
            var changes = JobService.Changes()
            changes.authentication = .bearer(.value("open-sesame"))
            try await service.change("one", changes)
            try await Self.until { try !world.holds("swordfish") }
            #expect(try world.holds("open-sesame"))
        }
    }

    @Test func `P25 a job keeps its secrets when the same is asked for again without them`() async throws {
        try await Self.inWorld(holds: true, storesSecrets: false) { world in
            let service = try world.start()
            var spec = world.spec("a.zip", id: "one")
            spec.unpacking = Unpacking()
            spec.unpacking?.password = .value("swordfish")
            let job = try await Self.add(spec, to: service, isPaused: true)
            spec.id = nil
            spec.unpacking?.password = nil
            #expect(try await Self.add(spec, to: service, isPaused: true).number == job.number)
            #expect(service.spec(of: job).unpacking?.password == .value("swordfish"))
        }
    }
}
