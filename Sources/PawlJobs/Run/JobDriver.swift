import PawlArchive
import PawlCore
import PawlEngine
import Synchronization

/// Performs the actions of a ``JobMachine`` through four ports.
///
/// Calls may come from any thread and return at once. The lock is held only while the machine thinks; what it asks for
/// is performed in its order, by one thread at a time: whichever brought the event.
package final class JobDriver: Sendable {
    /// The job or file of an operation. Each has at most one operation at a time. Fetches are kept by their port.
    private enum Subject: Hashable {
        case job(Int)
        case file(JobFileID)
    }

    private struct Operation {
        let number: Int
        /// The running work; nil while it is being begun.
        var work: (any JobWork)?
        var isStopped = false
    }

    private struct State {
        var machine: JobMachine
        var pending: [JobMachineAction] = []
        var isPerforming = false
        var operations: [Subject: Operation] = [:]
        var nextNumber = 0
        var isStopping = false
        /// Jobs whose documents nobody waits for any more.
        var notResolving: Set<Int> = []
    }

    private let state: Locked<State>
    private let ports: JobPorts
    private let observe: @Sendable ([JobEvent]) -> Void

    /// - Parameter observe: told everything that happens, in order, perhaps several events at once;
    ///   ``JobEvent/finished`` comes last.
    package convenience init(
        _ jobs: some Sequence<JobSpec>, rules: JobMachine.Rules = JobMachine.Rules(), ports: JobPorts,
        observe: @escaping @Sendable ([JobEvent]) -> Void
    ) {
        self.init(JobMachine(jobs, rules: rules), ports: ports, observe: observe)
    }

    /// Resumes a run that an earlier process has planned.
    ///
    /// - Parameter files: Of its ``RunRecord``, which was kept as that says.
    package convenience init(
        resuming files: [RunRecord.File], rules: JobMachine.Rules = JobMachine.Rules(), ports: JobPorts,
        observe: @escaping @Sendable ([JobEvent]) -> Void
    ) {
        self.init(JobMachine(resuming: files, rules: rules), ports: ports, observe: observe)
    }

    private init(_ machine: JobMachine, ports: JobPorts, observe: @escaping @Sendable ([JobEvent]) -> Void) {
        state = Locked(State(machine: machine))
        self.ports = ports
        self.observe = observe
    }

    package func start() { handle(.start) }

    /// Ends everything; received bytes are kept.
    package func stop() {
        beginNothing()
        handle(.stop)
    }

    /// Begins no further fetch; the files that would be next count as stopped. A caller that ends the fetches itself
    /// calls this before ``stop()``.
    package func beginNothing() { state.withLock { $0.isStopping = true } }

    package func pause(_ id: JobFileID) { handle(.pause(id)) }

    package func resume(_ id: JobFileID) { handle(.resume(id)) }

    /// Stops a file for good; received bytes are kept.
    package func cancel(_ id: JobFileID) { handle(.cancel(id)) }

    // MARK: The machine

    private func handle(_ event: JobMachineEvent) { handle([event]) }

    private func handle(_ events: [JobMachineEvent]) {
        let mustPerform = state.withLock { state in
            for event in events { state.pending += state.machine.handle(event) }
            guard !state.isPerforming, !state.pending.isEmpty else { return false }
            state.isPerforming = true
            return true
        }
        if mustPerform { performAll() }
    }

    private func performAll() {
        while true {
            let actions = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isPerforming = false }
                return state.pending
            }
            guard !actions.isEmpty else { return }
            var events: [JobEvent] = []
            for action in actions { if case .publish(let event) = action { events.append(event) } }
            // Events are told, and recorded, before the operations that follow them begin.
            if !events.isEmpty { observe(events) }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: JobMachineAction) {
        switch action {
        case .resolve(let index, let spec): resolve(index, spec, JobResolution(spec))
        case .stopResolving(let index):
            state.withLock { _ = $0.notResolving.insert(index) }
            stop(.job(index))
        case .fetch(let id, let file): fetch(id, file)
        case .stopFetch(let id): ports.fetches.stop(id)
        case .stopUnpacking(let id): stop(.file(id))
        case .inspect(let id, let archive, let digest): inspect(id, archive, digest)
        case .unpack(let id, let archive, let policy): unpack(id, archive, policy)
        case .removeArchive(let id, let fetched): remove(id, fetched)
        case .runHook(let id, let file, let outcome):
            ports.hooks.run(id, file, outcome) { [self] in handle(.hookEnded(id, $0)) }
        case .publish: break
        }
    }

    // MARK: Operations

    /// Remembers what was begun until it has ended, so that it can be stopped.
    private func run(_ subject: Subject, _ begin: (_ ended: @escaping @Sendable () -> Void) -> any JobWork) {
        let number = state.withLock { state -> Int? in
            if case .job(let index) = subject, state.notResolving.contains(index) { return nil }
            state.nextNumber += 1
            state.operations[subject] = Operation(number: state.nextNumber)
            return state.nextNumber
        }
        guard let number else { return }
        let work = begin { [self] in
            state.withLock { state in
                if state.operations[subject]?.number == number { state.operations[subject] = nil }
            }
        }
        let mustStop = state.withLock { state in
            guard state.operations[subject]?.number == number else { return false }
            state.operations[subject]?.work = work
            return state.operations[subject]?.isStopped ?? false
        }
        if mustStop { work.stop() }
    }

    /// Stops the operation of a subject. One that is being begun is stopped once it has begun; an ended one is ignored.
    private func stop(_ subject: Subject) {
        let work = state.withLock { state in
            state.operations[subject]?.isStopped = true
            return state.operations[subject]?.work
        }
        work?.stop()
    }

    // MARK: Resolving

    private func resolve(_ index: Int, _ spec: JobSpec, _ resolution: JobResolution) {
        guard !state.withLock({ $0.notResolving.contains(index) }) else { return }
        switch resolution.next {
        case .resolved(let resolved): handle(prepared(index, spec, resolved))
        case .read(let place, let maximumBytes):
            run(.job(index)) { ended in
                ports.documents.read(place, for: spec, atMost: maximumBytes) { [self] result in
                    ended()
                    goOn(index, spec, resolution) { (resolution) throws(JobFailure) in
                        try resolution.take(try result.get())
                    }
                }
            }
        case .describe(let file):
            run(.job(index)) { ended in
                ports.documents.describe(file) { [self] result in
                    ended()
                    goOn(index, spec, resolution) { (resolution) throws(JobFailure) in resolution.take(try result.get())
                    }
                }
            }
        }
    }

    private func goOn(
        _ index: Int, _ spec: JobSpec, _ resolution: JobResolution,
        _ take: (inout JobResolution) throws(JobFailure) -> Void
    ) {
        var resolution = resolution
        do throws(JobFailure) {
            try take(&resolution)
        } catch {
            return handle(.notResolved(index: index, error))
        }
        resolve(index, spec, resolution)
    }

    private func prepared(_ index: Int, _ spec: JobSpec, _ resolved: JobResolution.Resolved) -> JobMachineEvent {
        do throws(JobFailure) {
            if !spec.hook.isEmpty { try ports.hooks.check(spec) }
            let files = try resolved.files.map { (file) throws(JobFailure) in
                var file = file
                file.job = index
                return try ports.fetches.prepare(file)
            }
            return .resolved(index: index, files, notices: resolved.notices, unused: resolved.unused)
        } catch {
            return .notResolved(index: index, error)
        }
    }

    // MARK: Files

    private func fetch(_ id: JobFileID, _ file: JobFile) {
        // There may be many before the action that would stop it.
        guard !state.withLock({ $0.isStopping }) else { return handle(.fetchStopped(id)) }
        ports.fetches.fetch(id, file) { [self] in handle($0) }
    }

    private func inspect(_ id: JobFileID, _ archive: ArchiveToUnpack, _ digest: Digest?) {
        run(.file(id)) { ended in
            ports.archives.inspect(id, archive, digest: digest) { [self] end in
                ended()
                handle(Self.event(end, id) { .inspected(id, $0) })
            }
        }
    }

    private func unpack(_ id: JobFileID, _ archive: ArchiveToUnpack, _ policy: ExtractionOptions.IfExists) {
        handle(.unpacking(id, archive: archive.fetched.path, ArchiveProgress()))
        run(.file(id)) { ended in
            ports.archives.unpack(id, archive, ifExists: policy) { [self] in
                handle(.unpacking(id, archive: archive.fetched.path, $0))
            } _: { [self] end in
                ended()
                handle(Self.event(end, id) { .unpacked(id, $0) })
            }
        }
    }

    private func remove(_ id: JobFileID, _ fetched: FetchedFile) {
        ports.archives.remove(fetched) { [self] result in
            switch result {
            case .success: handle(.archiveRemoved(id))
            case .failure(let failure): handle(.unpackingFailed(id, failure))
            }
        }
    }

    private static func event<Value>(
        _ end: JobArchiveEnd<Value>, _ id: JobFileID, _ done: (Value) -> JobMachineEvent
    ) -> JobMachineEvent {
        switch end {
        case .done(let value): done(value)
        case .failed(let failure): .unpackingFailed(id, failure)
        case .stopped: .unpackingStopped(id)
        }
    }
}
