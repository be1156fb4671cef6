import PawlCore
import Synchronization

/// A download that knows the server's name for its file, and waits for those in front of it to have theirs.
struct NameTurn {
    let proceed: @Sendable () -> Void
    let timer: any ScheduledWork
}

/// Names in the order of the queue, in whatever order servers answer.
extension DownloadPool {
    /// A server that takes longer to answer loses its turn.
    private static let longestTurn = Duration.seconds(10)

    func takeTurn(_ id: DownloadID, _ proceed: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            guard namesInOrder, state.isBehindUnnamed(id) else { return false }
            let timer = ports.runtime.schedule(after: Self.longestTurn, on: executor) { [weak self] in
                self?.state.withLock { $0.turns.removeValue(forKey: id) }?.proceed()
            }
            state.turns[id] = NameTurn(proceed: proceed, timer: timer)
            return true
        }
        if !waits { proceed() }
    }

    /// One has its name, or is not waited for any more.
    func passTurns() {
        let turns = state.withLock { state -> [NameTurn] in
            guard !state.turns.isEmpty else { return [] }
            let ready = state.turns.keys.filter { !state.isBehindUnnamed($0) }
            return ready.compactMap { state.turns.removeValue(forKey: $0) }
        }
        for turn in turns {
            turn.timer.cancel()
            turn.proceed()
        }
    }

    func named(_ id: DownloadID, _ name: String) {
        handle(.named(id, name))
        passTurns()
    }
}

extension DownloadPool.State {
    /// Whether a download in front of it, to the same directory, may still get its name.
    fileprivate func isBehindUnnamed(_ id: DownloadID) -> Bool {
        guard let entry = machine[id], live[id] != nil else { return false }
        return live.contains { other, run in
            guard other != id, run.isAwaited, let first = machine[other] else { return false }
            return first.fileName == nil && first.directory.isExactly(entry.directory)
                && (-first.priority, first.position) < (-entry.priority, entry.position)
        }
    }
}
