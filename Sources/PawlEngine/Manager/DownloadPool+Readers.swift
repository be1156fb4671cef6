import PawlCore
import Synchronization

extension DownloadPool {
    /// A reader that begins with the state as it is: each download, and the end of each one that has ended. Every later
    /// event follows, without a gap and without an end told twice.
    package func makeReader() -> PoolEvents.Reader {
        // Under the lock, nothing can end between what the reader begins with and the first event it hears.
        state.withLock { state in
            events.makeReader(after: state.machine.ids.flatMap { Self.opening(of: $0, state) })
        }
    }

    /// A reader of what happens from now on.
    package func makeLaterReader() -> PoolEvents.Reader { state.withLock { _ in events.makeReader() } }

    private static func opening(of id: DownloadID, _ state: State) -> [PoolEvents.Item] {
        // An end that is still to be told comes as an event.
        guard let entry = state.machine[id], state.unpublishedEnds[id] == nil else { return [.changed(id)] }
        return switch entry.state {
        case .completed(let facts): [.changed(id), .kept(.completed(id, facts, directory: entry.directory))]
        case .failed(let error): [.changed(id), .kept(.failed(id, error))]
        case .queued, .running, .waiting, .paused: [.changed(id)]
        }
    }

    /// Tells readers and notes that they were told in one step, so that a reader that begins now gets the end exactly
    /// once.
    func tellEnd(of id: DownloadID, _ event: PoolEvent) {
        state.withLock { state in
            events.publish([.event(event), .changed(id)])
            let left = (state.unpublishedEnds[id] ?? 1) - 1
            state.unpublishedEnds[id] = left > 0 ? left : nil
        }
    }
}

extension QueueAction {
    /// The download that ends by this.
    var ended: DownloadID? {
        switch self {
        case .completed(let id, _, _), .failed(let id, _): id
        case .start, .stop, .measure, .changed, .removed: nil
        }
    }
}
