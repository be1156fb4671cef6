import Pawl
import PawlAria2
import PawlCore
import PawlJobs

extension Aria2 {
    /// The states of downloads, in aria2's order: those that run, and those that wait for their turn.
    static let active: Set<StoredJob.State> = [.running, .waiting]
    static let waiting: Set<StoredJob.State> = [.queued, .paused]
    static let unpaused: Set<StoredJob.State> = [.queued, .running, .waiting]
    static let stopped: Set<StoredJob.State> = [.completed, .failed]

    func remove(_ text: String) async throws(RPCError) -> JSONValue {
        let known = try known(text)
        let gid = GID(of: known.job.id)
        let message = "Active Download not found for GID#\(gid.text)"
        guard var job = known.unfinished else { throw RPCError(message) }
        let live = job.download.flatMap { service.snapshot($0) }
        // What is written down may be a moment behind.
        let wasActive =
            switch live?.state {
            case .running, .waiting: true
            default: Self.active.contains(job.state)
            }
        if let progress = progress(of: job) {
            (job.stored, job.total) = (max(job.stored, progress.bytesStored), progress.totalBytes ?? job.total)
        }
        job.name = live?.fileName ?? job.name
        job.spec = service.spec(of: job)
        job.ended = LiveRuntime.wallClockMilliseconds
        // One that never ran leaves no result. First, as the notification comes with the removal, and its client asks.
        if wasActive { memory.remember(job) }
        do throws(RPCError) {
            try await refusing(message) { () async throws(JobService.Refusal) in
                try await service.remove(job.id, deletesFiles: false)
            }
        } catch {
            memory.forget(job.id)
            throw error
        }
        if !wasActive { memory.forget(job.id) }
        return .string(gid.text)
    }

    func pause(_ text: String) async throws(RPCError) -> JSONValue {
        let known = try known(text)
        let gid = GID(of: known.job.id)
        let message = "GID#\(gid.text) cannot be paused now"
        guard let job = known.unfinished, !job.isPaused else { throw RPCError(message) }
        try await refusing(message) { () async throws(JobService.Refusal) in try await service.pause(job.id) }
        return .string(gid.text)
    }

    func resume(_ text: String) async throws(RPCError) -> JSONValue {
        let known = try known(text)
        let gid = GID(of: known.job.id)
        guard let job = known.unfinished, job.isPaused || service.lacksSecrets(job) else {
            throw RPCError("GID#\(gid.text) cannot be unpaused now")
        }
        if memory.isWithoutURIs(job.id) { throw RPCError("No URI to download.") }
        try await refusing { () async throws(JobService.Refusal) in try await service.resume(job.id) }
        await waitForFirst()
        return .string(gid.text)
    }

    /// Waits until the greatest number of downloads runs, for a second at most. Clients ask for active and waiting
    /// downloads in two calls, and a download that begins between the calls would be in neither.
    func waitForFirst() async {
        let deadline = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < deadline, let counts = try? store.counts() {
            func count(_ states: Set<StoredJob.State>) -> Int { states.reduce(0) { $0 + (counts[$1] ?? 0) } }
            guard count([.queued]) > 0, count(Self.active) < settings.current.maximumRunning else { return }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Acts on the jobs in these states in their order, so that resumed ones start in it. A job that refuses is
    /// skipped.
    func each(
        of states: Set<StoredJob.State>, _ act: ([String]) async -> [JobService.Refusal?]
    ) async throws(RPCError) -> JSONValue {
        let ids = try ids(states)
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            _ = await act(Array(ids[start..<min(start + Self.batch, ids.count)]))
        }
        return Self.done
    }

    func ids(_ states: Set<StoredJob.State>) throws(RPCError) -> [String] {
        try reading { () throws(DownloadError) in
            var query = JobQuery()
            query.states = states
            return try store.ids(query)
        }
    }

    // MARK: Results

    func forget(_ text: String) async throws(RPCError) -> JSONValue {
        let known = try known(text)
        let id = known.job.id
        if case .job(let job) = known {
            guard job.state.hasEnded else {
                throw RPCError("Could not remove download result of GID#\(GID(of: id).text)")
            }
            try await refusing { () async throws(JobService.Refusal) in
                try await service.remove(id, deletesFiles: false)
            }
            memory.countForgotten()
        }
        memory.forget(id)
        return Self.done
    }

    func forgetAll() async throws(RPCError) -> JSONValue {
        memory.forgetRemoved()
        return try await each(of: Self.stopped) { ids in
            let outcomes = await service.remove(ids, deletesFiles: false)
            for (id, refusal) in zip(ids, outcomes) where refusal == nil {
                memory.countForgotten()
                memory.forget(id)
            }
            return outcomes
        }
    }

    // MARK: The queue

    func move(_ text: String, by offset: Int, from origin: String) async throws(RPCError) -> Int {
        let known = try known(text)
        let ids = try ids(Self.waiting)
        let last = ids.count - 1
        let index = ids.firstIndex { $0.isExactly(known.job.id) }
        let gid = GID(of: known.job.id)
        let offset = min(max(offset, -ids.count), ids.count)
        let wanted: Int
        switch origin {
        case "POS_SET": wanted = offset
        case "POS_CUR": wanted = (index ?? 0) + offset
        case "POS_END": wanted = last + offset
        default: throw RPCError("Illegal argument.")
        }
        guard let index, case .job(let job) = known else {
            throw RPCError("GID#\(gid.text) not found in the waiting queue.")
        }
        let place = min(max(wanted, 0), last)
        if place != index { try await move(job, to: place > index ? .after(ids[place]) : .before(ids[place])) }
        return place
    }

    /// - Parameter index: among those that wait; behind all of them if it is beyond.
    func move(_ job: StoredJob, toWaiting index: Int) async throws(RPCError) {
        let others = try ids(Self.waiting).filter { !$0.isExactly(job.id) }
        guard index < others.count else { return }
        try await move(job, to: .before(others[index]))
    }

    func move(_ job: StoredJob, to position: JobService.Position) async throws(RPCError) {
        var changes = JobService.Changes()
        changes.position = position
        try await change(job, changes)
    }

    func change(_ job: StoredJob, _ changes: JobService.Changes) async throws(RPCError) {
        try await refusing { () async throws(JobService.Refusal) in try await service.change(job.id, changes) }
    }

    // MARK: Sources

    /// The first URL of a job is the one that its stored bytes go by: it stays, and another takes its place for what is
    /// still to be fetched.
    func changeURIs(_ given: RPCParameters) async throws(RPCError) -> JSONValue {
        let gid = try given.text(0)
        let index = try given.integer(1, atLeast: 1)
        let (removed, added) = (try given.texts(2), try given.texts(3))
        _ = try given.position(4)
        let known = try known(gid)
        guard let job = known.unfinished else {
            throw RPCError("Cannot remove URIs from GID#\(GID(of: known.job.id).text)")
        }
        guard index == 1 else { throw RPCError("fileIndex is out of range") }
        let sources = self.sources(of: job)
        let gone = removed.filter { sources.containsExactly($0) }
        let kept = sources.filter { !gone.containsExactly($0) }
        let usable = added.map { (try? HTTPURL.writingHostInASCII($0)) ?? $0 }.filter {
            (try? HTTPURL(parsing: $0)) != nil
        }
        let fresh = usable.filter { !kept.containsExactly($0) }
        var changes = JobService.Changes()
        changes.sources = kept + fresh
        if kept.isEmpty && fresh.isEmpty {
            // A job keeps its last URL, and is not fetched from it.
            try await refusing { () async throws(JobService.Refusal) in try await service.pause(job.id) }
            memory.setWithoutURIs(job.id, true)
        } else if !gone.isEmpty || !fresh.isEmpty {
            try await change(job, changes)
            memory.setWithoutURIs(job.id, false)
        }
        // aria2 has a URI twice that is added twice.
        return [.integer(gone.count), .integer(usable.count)]
    }

    /// The URLs that a job is fetched from.
    func sources(of job: StoredJob) -> [String] {
        if memory.isWithoutURIs(job.id) { return [] }
        let spec = service.spec(of: job)
        guard case .url(let url, let mirrors) = spec.source else { return [job.url] }
        return [spec.freshURL ?? url] + mirrors.map(\.url)
    }
}
