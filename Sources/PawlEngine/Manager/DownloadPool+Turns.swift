import PawlCore
import Synchronization

/// A download that knows the server's name for its file, and waits for those in front of it to have theirs.
struct NameTurn {
    let proceed: @Sendable () -> Void
    let timer: any ScheduledWork
}

/// A running download without a name.
struct Unnamed {
    private let directory: String
    private let host: String
    private let priority: Int32
    private let position: Int64
    /// Its server has not answered yet, and no request to it has failed.
    var isAwaited = true
    /// Whether it waits for a connection to its host.
    var lacksConnection = false

    init(_ entry: QueueEntry) {
        (directory, host) = (entry.directory, entry.host)
        (priority, position) = (entry.priority, entry.position)
    }

    /// Whether it was in front of another when they began, and is stored in the same directory.
    private func isInFront(of other: Unnamed) -> Bool {
        (-priority, position) < (-other.priority, other.position) && directory.isExactly(other.directory)
    }

    /// Whether another has to wait for its name. Never where it may be waiting for the connection of the other, which
    /// holds that until it has its own name.
    func isWaitedFor(by other: Unnamed) -> Bool {
        isAwaited && isInFront(of: other) && !(lacksConnection && host.isExactly(other.host))
    }
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
            let former = state.turns[id]
            former?.timer.cancel()
            // A driver that took over may ask before the short run that it replaces.
            state.turns[id] = NameTurn(
                proceed: { [former] in
                    former?.proceed(); proceed()
                }, timer: timer)
            return true
        }
        if !waits { proceed() }
    }

    /// One has its name, or is not waited for any more.
    func passTurns() {
        let isDue = state.withLock { state in
            guard !state.isPassingTurns, !state.turns.isEmpty else { return false }
            state.isPassingTurns = true
            return true
        }
        guard isDue else { return }
        // One that proceeds may have its name before this returns, and so on: nobody passes turns inside of that.
        while true {
            let turns = state.withLock { state -> [NameTurn] in
                let ready = state.turns.keys.filter { !state.isBehindUnnamed($0) }
                if ready.isEmpty { state.isPassingTurns = false }
                return ready.compactMap { state.turns.removeValue(forKey: $0) }
            }
            if turns.isEmpty { return }
            for turn in turns {
                turn.timer.cancel()
                turn.proceed()
            }
        }
    }

    /// One that does not start after all has no turn.
    func forgetNameIfIdle(_ id: DownloadID) {
        state.withLock { state in if !state.machine.isRunning(id) { state.unnamed[id] = nil } }
        passTurns()
    }

    /// Notes that it has a name, though which one is not told yet.
    func claimed(_ id: DownloadID) {
        state.withLock { $0.unnamed[id]?.isAwaited = false }
        passTurns()
    }

    func named(_ id: DownloadID, _ name: String) {
        handle(.named(id, name))
        state.withLock { $0.unnamed[id] = nil }
        passTurns()
    }
}

extension DownloadPool.State {
    /// Notes that a download which has no name may get one: those behind it wait for that.
    mutating func awaitName(of id: DownloadID, inOrder: Bool) {
        guard inOrder, unnamed[id] == nil, let entry = machine[id], entry.fileName == nil else { return }
        unnamed[id] = Unnamed(entry)
    }

    /// Whether a download in front of it, to the same directory, may still get its name.
    fileprivate func isBehindUnnamed(_ id: DownloadID) -> Bool {
        guard let own = unnamed[id] else { return false }
        return unnamed.values.contains { $0.isWaitedFor(by: own) }
    }
}
