import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import PawlTestKit
import Synchronization
import Testing

@testable import PawlServer

@Suite("The jobs of the service", .timeLimit(.minutes(2)))
struct JobServiceTests {
    private static let content = FileBehaviour.pattern(count: 2_000_000)

    /// A service, a server, and a directory for the downloads.
    private final class World: Sendable {
        let server: ScriptedServer
        let directory: TemporaryDirectory
        let service: Locked<JobService>
        private let hold = Hold()

        private let storesSecrets: Bool

        init(holds: Bool, storesSecrets: Bool, _ change: (inout FileBehaviour) -> Void) throws {
            self.storesSecrets = storesSecrets
            var behaviour = FileBehaviour(content: JobServiceTests.content)
            if holds { behaviour.stall = hold.stall(afterBytes: 500_000) }
            change(&behaviour)
            server = try ScriptedServer(file: behaviour)
            directory = try TemporaryDirectory("service", in: TemporaryDirectory.memory)
            try Files.makeDirectory(directory.file("files"))
            service = Locked(try Self.make(directory, storesSecrets: storesSecrets))
        }

        private static func make(_ directory: TemporaryDirectory, storesSecrets: Bool) throws -> JobService {
            var configuration = JobService.Configuration(path: directory.file("pawl.sqlite"))
            configuration.manager.storesSecrets = storesSecrets
            return try JobService(configuration)
        }

        var current: JobService { service.withLock { $0 } }

        func restart() async throws {
            await current.shutdown()
            let fresh = try Self.make(directory, storesSecrets: storesSecrets)
            service.withLock { $0 = fresh }
        }

        func end() async {
            await current.shutdown()
            server.stop()
        }

        func spec(_ name: String, id: String? = nil) -> JobSpec {
            var spec = JobSpec(server.url("/\(name)"))
            spec.directory = directory.file("files")
            spec.id = id
            return spec
        }

        @discardableResult
        func add(_ specs: JobSpec...) async throws -> [StoredJob] {
            try await current.add(specs.map { JobService.NewJob($0) }).map { try $0.get().job }
        }

        func release() { hold.end() }

        @discardableResult
        func wait(for id: String, _ state: StoredJob.State) async throws -> StoredJob {
            while true {
                let job = try current.job(id)
                if job.state == state { return job }
                if job.state.hasEnded { throw Unexpected("\(id) is \(job.state): \(String(describing: job.failure))") }
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        func bytes(_ name: String) throws -> [UInt8] { try Files.read(directory.file("files/\(name)")) }
        func databaseBytes() throws -> [UInt8] {
            try ["pawl.sqlite", "pawl.sqlite-wal"].flatMap { try Files.read(directory.file($0)) }
        }

        var names: [String] { (try? Files.names(directory.file("files")).sorted()) ?? [] }
    }

    private static func inWorld(
        holds: Bool = false, _ change: (inout FileBehaviour) -> Void = { _ in }, storesSecrets: Bool = false,
        _ body: (World) async throws -> Void
    ) async throws {
        let world = try World(holds: holds, storesSecrets: storesSecrets, change)
        do {
            try await body(world)
        } catch {
            await world.end()
            throw error
        }
        await world.end()
    }

    // MARK: Adding

    @Test func `an accepted job is downloaded, and the database has what became of it`() async throws {
        try await Self.inWorld { world in
            let job = try await world.add(world.spec("disk.iso"))[0]
            #expect(job.state == .queued && job.number == 1)
            let done = try await world.wait(for: job.id, .completed)
            #expect(try world.bytes("disk.iso") == Self.content)
            #expect(done.name == "disk.iso" && done.total == 2_000_000 && done.stored == 2_000_000)
            #expect(done.isComplete == true && done.isVerified == false && done.failure == nil)
            #expect(done.started != nil && done.ended != nil)
            #expect(world.names == ["disk.iso"])
        }
    }

    @Test func `the same id, key or request gives the same job`() async throws {
        try await Self.inWorld(holds: true) { world in
            var first = JobService.NewJob(world.spec("a", id: "one"))
            first.requestKey = "key"
            var sameKey = JobService.NewJob(world.spec("a"))
            sameKey.requestKey = "key"
            let all = [first, first, sameKey, JobService.NewJob(world.spec("a"))]
            for round in 1...2 {
                let outcomes = try await world.current.add(all).map { try $0.get() }
                #expect(outcomes.map(\.job.number) == [1, 1, 1, 1], "round \(round)")
                let isNew = outcomes.map { if case .new = $0 { true } else { false } }
                #expect(isNew == [round == 1, false, false, false])
            }
            #expect(try world.current.store.page(JobQuery()).total == 1)
        }
    }

    @Test func `a job that unpacks the file of another one differently is refused`() async throws {
        try await Self.inWorld(holds: true) { world in
            var unpacked = world.spec("a.zip")
            unpacked.unpacking = Unpacking()
            var elsewhere = unpacked
            elsewhere.unpacking?.directory = world.directory.file("files/other")
            let first = await world.current.add([world.spec("a.zip"), unpacked].map { JobService.NewJob($0) })
            let later = await world.current.add([elsewhere, world.spec("a.zip")].map { JobService.NewJob($0) })
            let holder = try first[0].get().job
            for outcome in [first[1], later[0]] {
                guard case .failure(.conflict(let conflict)) = outcome else { throw Unexpected("\(outcome)") }
                #expect(conflict.code == .targetInUse && conflict.id == holder.id)
            }
            #expect(try later[1].get().job.number == holder.number)
            #expect(try world.current.store.page(JobQuery()).total == 1)
        }
    }

    @Test func `another job with an id or key that is in use is refused`() async throws {
        try await Self.inWorld(holds: true) { world in
            var first = JobService.NewJob(world.spec("a", id: "one"))
            first.requestKey = "key"
            var sameKey = JobService.NewJob(world.spec("b"))
            sameKey.requestKey = "key"
            let outcomes = await world.current.add([first, sameKey, JobService.NewJob(world.spec("c", id: "one"))])
            let codes = outcomes.map { outcome -> JobService.Conflict.Code? in
                guard case .failure(.conflict(let conflict)) = outcome else { return nil }
                return conflict.code
            }
            #expect(codes == [nil, .keyReused, .idInUse])
            let total = try world.current.store.page(JobQuery()).total
            #expect(total == 1)
        }
    }

    @Test func `a job that is refused keeps no other from being accepted`() async throws {
        try await Self.inWorld(holds: true) { world in
            var (named, clash) = (world.spec("a"), world.spec("other"))
            (named.fileName, clash.fileName) = ("a", "a")
            var nowhere = world.spec("c")
            nowhere.directory = ""
            let outcomes = await world.current.add(
                [named, clash, nowhere, world.spec("d")].map { JobService.NewJob($0) })
            #expect((try? outcomes[0].get()) != nil && (try? outcomes[3].get()) != nil)
            guard case .failure(.conflict(let conflict)) = outcomes[1] else { throw Unexpected("\(outcomes[1])") }
            let holder = try outcomes[0].get().job.id
            #expect(conflict.code == .targetInUse && conflict.id == holder)
            guard case .failure(.failed(.spec(let problem))) = outcomes[2] else { throw Unexpected("\(outcomes[2])") }
            #expect(problem.fields == ["directory"])
            #expect(try world.current.store.page(JobQuery()).jobs.count == 2)
        }
    }

    @Test func `of the same job added twice at once there is one, and it is done`() async throws {
        try await Self.inWorld { world in
            let service = world.current
            let specs = [world.spec("a", id: "one"), world.spec("a")]
            let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
                for round in 0..<20 {
                    let spec = specs[round % 2]
                    group.addTask { try await service.add([JobService.NewJob(spec)])[0].get().job.number }
                }
                return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
            }
            let jobs = try service.store.page(JobQuery()).jobs
            #expect(numbers == Set(jobs.map(\.number)))
            // Once it is completed, the request without an id is another job, and finds the file there.
            for job in jobs { try await Self.until { try service.job(job.id).state.hasEnded } }
            #expect(try service.job(jobs.map(\.id).min { $0.utf8.count < $1.utf8.count } ?? "").state == .completed)
            #expect(try world.bytes("a") == Self.content)
        }
    }

    @Test func `a job that is removed and added again at once is another job, or refused while the first one stops`()
        async throws
    {
        try await Self.inWorld(holds: true) { world in
            let service = world.current
            let first = try await world.add(world.spec("a", id: "first"))[0]
            try await world.wait(for: "first", .running)
            try await service.remove("first", deletesFiles: true)
            var second: StoredJob?
            while second == nil {
                switch await service.add([JobService.NewJob(world.spec("a", id: "second"))])[0] {
                case .success(let added): second = added.job
                case .failure(.failed(.download(let error))): #expect(error.code == .locked)
                case .failure(let refusal): throw Unexpected("\(refusal)")
                }
            }
            #expect(second?.download != first.download)
            world.release()
            try await world.wait(for: "second", .completed)
            #expect(try world.bytes("a") == Self.content)
        }
    }

    @Test func `a job whose list of digests cannot be had is refused, and nothing is kept of it`() async throws {
        try await Self.inWorld { world in
            var spec = world.spec("a")
            spec.digestList = world.server.url("/SHA256SUMS")
            guard case .failure(.failed) = await world.current.add([JobService.NewJob(spec)])[0] else {
                throw Unexpected("it was accepted")
            }
            #expect(try world.current.store.page(JobQuery()).total == 0)
        }
    }

    @Test func `a failed job whose place was given away is not retried`() async throws {
        try await Self.inWorld(holds: true, { $0.statusOverrides = [1: 404, 2: 404] }) { world in
            var (first, second) = (world.spec("a", id: "first"), world.spec("b", id: "second"))
            (first.fileName, second.fileName) = ("x", "x")
            _ = try await world.add(first)
            try await world.wait(for: "first", .failed)
            _ = try await world.add(second)
            let refusal = await #expect(throws: JobService.Refusal.self) { try await world.current.retry("first") }
            guard case .failed(.download(let error)) = refusal else {
                throw Unexpected("\(String(describing: refusal))")
            }
            #expect(error.code == .locked)
            #expect(try world.current.job("first").state == .failed)
        }
    }

    @Test func `the order of many moves is the same after a restart`() async throws {
        try await Self.inWorld(holds: true) { world in
            let names = ["a", "b", "c", "d"]
            _ = await world.current.add(
                names.map { name in
                    var job = JobService.NewJob(world.spec(name, id: name))
                    job.isPaused = true
                    return job
                })
            // Into the same gap, until there is no number left in it.
            for round in 0..<60 { try await world.current.move(round % 2 == 0 ? "c" : "d", to: .index(1)) }
            func order() throws -> String { try world.current.store.page(JobQuery()).jobs.map(\.id).joined() }
            #expect(try order() == "adcb")
            try await world.restart()
            #expect(try order() == "adcb")
            let numbers = world.current.manager.ids.compactMap { id in world.current.state.withLock { $0.numbers[id] } }
            #expect(numbers == [1, 4, 3, 2])
        }
    }

    @Test func `a failed job says why, and can be retried`() async throws {
        try await Self.inWorld({ $0.statusOverrides = [1: 404, 2: 404] }) { world in
            let job = try await world.add(world.spec("late"))[0]
            let failed = try await world.wait(for: job.id, .failed)
            #expect(failed.failure?.code == "notFound" && failed.step == .fetch && failed.ended != nil)
            try await world.current.retry(job.id)
            let done = try await world.wait(for: job.id, .completed)
            #expect(done.failure == nil)
            #expect(try world.bytes("late") == Self.content)
            await #expect(throws: JobService.Refusal.self) { try await world.current.retry(job.id) }
        }
    }

    // MARK: Steering

    @Test func `a paused job keeps what it has, and resumes there`() async throws {
        try await Self.inWorld(holds: true) { world in
            let job = try await world.add(world.spec("disk.iso"))[0]
            try await world.wait(for: job.id, .running)
            try await Self.until { world.names.contains("disk.iso.part") }
            try await world.current.pause(job.id)
            #expect(try world.current.job(job.id).state == .paused)
            try await Self.until { world.names == ["disk.iso.part", "disk.iso.pawl"] }
            world.release()
            try await world.current.resume(job.id)
            try await world.wait(for: job.id, .completed)
            #expect(try world.bytes("disk.iso") == Self.content)
        }
    }

    @Test(arguments: [true, false])
    func `a removed job is gone, with its partial file or without`(_ deletesFiles: Bool) async throws {
        try await Self.inWorld(holds: true) { world in
            let job = try await world.add(world.spec("disk.iso"))[0]
            try await world.wait(for: job.id, .running)
            try await Self.until { world.names.contains("disk.iso.part") }
            try await world.current.remove(job.id, deletesFiles: deletesFiles)
            #expect(throws: JobService.Refusal.unknown) { try world.current.job(job.id) }
            try await world.restart()
            try await Self.until { world.names == (deletesFiles ? [] : ["disk.iso.part", "disk.iso.pawl"]) }
            #expect(try world.current.store.page(JobQuery()).total == 0)
        }
    }

    @Test func `what is asked of an unknown or ended job is refused`() async throws {
        try await Self.inWorld { world in
            let service = world.current
            await #expect(throws: JobService.Refusal.unknown) { try await service.pause("no-such-job") }
            let job = try await world.add(world.spec("disk.iso"))[0]
            try await world.wait(for: job.id, .completed)
            await #expect(throws: JobService.Refusal.self) { try await service.pause(job.id) }
            await #expect(throws: JobService.Refusal.self) { try await service.resume(job.id) }
            #expect(try world.bytes("disk.iso") == Self.content)
        }
    }

    @Test func `the list has the order of the queue, and follows moves and priorities`() async throws {
        try await Self.inWorld(holds: true) { world in
            let specs = ["a", "b", "c", "d"].map { name in
                var job = JobService.NewJob(world.spec(name, id: name))
                job.isPaused = true
                return job
            }
            _ = await world.current.add(specs)
            func order() throws -> String { try world.current.store.page(JobQuery()).jobs.map(\.id).joined() }
            #expect(try order() == "abcd")
            try await world.current.move("d", to: .top)
            #expect(try order() == "dabc")
            try await world.current.setPriority(5, of: "b")
            #expect(try order() == "bdac")
            try await world.restart()
            #expect(try order() == "bdac")
        }
    }

    // MARK: Another process

    @Test func `what ran runs on after a restart, what was paused stays paused, and what was added is there once`()
        async throws
    {
        try await Self.inWorld(holds: true) { world in
            var paused = JobService.NewJob(world.spec("paused", id: "paused"))
            paused.isPaused = true
            _ = await world.current.add([paused])
            _ = try await world.add(world.spec("running", id: "running"), world.spec("pausing", id: "pausing"))
            try await world.wait(for: "running", .running)
            try await world.wait(for: "pausing", .running)
            try await world.current.pause("pausing")
            try await world.restart()
            try await world.wait(for: "running", .running)
            #expect(try world.current.job("paused").state == .paused)
            #expect(try world.current.job("pausing").state == .paused)
            world.release()
            try await world.wait(for: "running", .completed)
            try await world.restart()
            try await world.current.resume("pausing")
            try await world.current.resume("paused")
            for name in ["paused", "pausing"] { try await world.wait(for: name, .completed) }
            for name in ["paused", "pausing", "running"] { #expect(try world.bytes(name) == Self.content) }
            #expect(try world.current.store.page(JobQuery()).counts == [.completed: 3])
            #expect(world.names == ["paused", "pausing", "running"])
        }
    }

    @Test func `five hundred jobs are each done once, across restarts`() async throws {
        try await Self.inWorld({ $0.content = FileBehaviour.pattern(count: 3000) }) { world in
            let specs = (0..<500).map { JobService.NewJob(world.spec("file-\($0)", id: "job-\($0)")) }
            let outcomes = await world.current.add(specs)
            #expect(outcomes.allSatisfy { (try? $0.get()) != nil })
            for _ in 1...3 { try await world.restart() }
            while try world.current.store.page(JobQuery()).counts != [.completed: 500] {
                let counts = try world.current.store.page(JobQuery()).counts
                #expect(counts[.failed] == nil)
                if counts[.failed] != nil { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(world.names.count == 500)
            #expect(try world.bytes("file-499") == FileBehaviour.pattern(count: 3000))
        }
    }

    // MARK: Secrets

    @Test(arguments: [true, false], [true, false])
    func `secrets are kept only if the owner has said so`(_ storesSecrets: Bool, byID: Bool) async throws {
        try await Self.inWorld(
            holds: true, { $0.token = FileBehaviour.Token(query: "token=hunter2") }, storesSecrets: storesSecrets
        ) { world in
            var spec = world.spec("disk.iso?token=hunter2", id: "secret")
            spec.authentication = .bearer(.value("swordfish"))
            spec.headers = [HTTPField("X-Key", "letmein")]
            #expect(try await world.add(spec)[0].lacksSecrets == !storesSecrets)
            try await world.wait(for: "secret", .running)
            try await world.restart()
            let bytes = try world.databaseBytes()
            for secret in ["hunter2", "swordfish", "letmein"] {
                #expect(bytes.contains(Array(secret.utf8)) == storesSecrets, "\(secret)")
            }
            world.release()
            if !storesSecrets {
                try await world.wait(for: "secret", .waiting)
                // Given again, by its id or by the same request, it goes on.
                if byID { spec.id = "secret" } else { spec.id = nil }
                #expect(try await world.add(spec)[0].id == "secret")
            }
            try await world.wait(for: "secret", .completed)
            #expect(try world.bytes("disk.iso") == Self.content)
        }
    }

    @Test func `a job that is refused gives its secrets to no other`() async throws {
        try await Self.inWorld(
            holds: true, { $0.token = FileBehaviour.Token(query: "token=hunter2") }
        ) { world in
            let spec = world.spec("disk.iso?token=hunter2", id: "secret")
            try await world.add(spec)
            try await world.wait(for: "secret", .running)
            try await world.restart()
            world.release()
            try await world.wait(for: "secret", .waiting)
            var unpacked = spec
            (unpacked.id, unpacked.unpacking) = (nil, Unpacking())
            guard case .failure(.conflict(let conflict))? = await world.current.add([.init(unpacked)]).first else {
                throw Unexpected("it was accepted")
            }
            #expect(conflict.code == .targetInUse && conflict.id == "secret")
            #expect(try world.current.job("secret").lacksSecrets)
            try await world.wait(for: "secret", .waiting)
            try await world.add(spec)
            try await world.wait(for: "secret", .completed)
            #expect(try world.bytes("disk.iso") == Self.content)
        }
    }

    @Test func `a job that has ended is in no other's way after a restart, whatever either does with the file`()
        async throws
    {
        try await Self.inWorld({ $0.token = FileBehaviour.Token(query: "token=hunter2") }) { world in
            try await world.add(world.spec("disk.iso?token=hunter2", id: "first"))
            try await world.wait(for: "first", .completed)
            try await world.restart()
            var unpacked = world.spec("disk.iso?token=hunter2", id: "second")
            unpacked.unpacking = Unpacking()
            #expect(try await world.add(unpacked).map(\.id) == ["second"])
        }
    }

    // MARK: Helpers

    private static func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }
}

private struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
