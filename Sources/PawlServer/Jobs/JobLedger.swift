import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// Writes what becomes of jobs to the database. A commit waits for the disk once for everything that came during the
/// one before.
///
/// Edits of one job are made in the order in which they came. What the database refuses is kept and tried again, so
/// that nothing that happened is lost while its disk is full.
final class JobLedger: Sendable {
    private typealias Note = (job: Int64, entry: Store.LogEntry)

    private struct State {
        var edits: [JobEdit] = []
        var notes: [Note] = []
        /// The callers that wait for the commit; each gets the reason why its edits are not durable; nil if they are.
        var waiters: [CheckedContinuation<DownloadError?, Never>] = []
        var isWriting = false
        var problem: DownloadError?
        var isClosed = false
    }

    /// The largest number of notes; more than these wait only while the disk is full.
    private static let maximumNotes = 10_000
    /// The time between two tries.
    private static let pause = Duration.seconds(1)

    private let store: Store
    private let state = Locked(State())

    init(_ store: Store) { self.store = store }

    /// The reason why the latest commit failed; nil once one has succeeded, which includes all edits that were refused
    /// before.
    var problem: DownloadError? { state.withLock { $0.problem } }

    func edit(_ number: Int64, _ change: @escaping @Sendable (inout StoredJob) -> Void) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.edits.append(JobEdit(number: number, change: change))
            begin(&state)
        }
    }

    /// Adds to the log of a job, with the next commit or within a second: a log may miss its end after a crash.
    func note(_ number: Int64, _ code: String, _ message: String) {
        let entry = Store.LogEntry(time: LiveRuntime.wallClockSeconds, code: code, message: message)
        let isFirst = state.withLock { state in
            guard !state.isClosed, state.notes.count < Self.maximumNotes else { return false }
            state.notes.append((number, entry))
            return state.notes.count == 1 && !state.isWriting
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.pause)
            state.withLock { begin(&$0) }
        }
    }

    /// Waits until everything that was edited before is durable.
    ///
    /// - Throws: why it is not. It is tried again by itself, but for what comes after ``close()``.
    func settle() async throws(DownloadError) {
        let problem: DownloadError? = await withCheckedContinuation { continuation in
            state.withLock { state in
                guard !state.isClosed else { return continuation.resume(returning: state.problem ?? Self.stopping) }
                state.waiters.append(continuation)
                begin(&state)
            }
        }
        if let problem { throw problem }
    }

    private static let stopping = DownloadError(
        .locked, "The service is stopping.", remedies: [.tryLater], recovery: .retryAfter(nil))

    /// The last try, after which edits are dropped: the next process finds out what they said.
    func close() async {
        try? await settle()
        state.withLock { state in
            for waiter in state.waiters { waiter.resume(returning: state.problem ?? Self.stopping) }
            (state.edits, state.waiters, state.isClosed) = ([], [], true)
        }
    }

    private func begin(_ state: inout State) {
        guard !state.isWriting else { return }
        state.isWriting = true
        Task { await write() }
    }

    private func write() async {
        while true {
            let (edits, notes, waiters) = state.withLock { state in
                defer { (state.edits, state.notes, state.waiters) = ([], [], []) }
                if state.edits.isEmpty && state.notes.isEmpty && state.waiters.isEmpty { state.isWriting = false }
                return (state.edits, state.notes, state.waiters)
            }
            if edits.isEmpty && notes.isEmpty && waiters.isEmpty { return }
            let problem = await commit(edits, notes)
            state.withLock { $0.problem = problem }
            for waiter in waiters { waiter.resume(returning: problem) }
            if problem != nil { try? await Task.sleep(for: Self.pause) }
        }
    }

    private func commit(_ edits: [JobEdit], _ notes: [Note]) async -> DownloadError? {
        guard !edits.isEmpty || !notes.isEmpty else { return problem }
        do throws(DownloadError) {
            _ = try await store.edit(edits, logging: notes)
            return nil
        } catch {
            state.withLock { state in
                guard !state.isClosed else { return }
                state.edits.insert(contentsOf: edits, at: 0)
                state.notes.insert(contentsOf: notes, at: 0)
            }
            return error
        }
    }
}
