import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// How long ended jobs stay listed.
struct History: Sendable {
    /// Nil: until they are removed.
    var days: Int?
    /// Nil: all.
    var count: Int?
    /// A task looks through it.
    var isTrimming = false
    /// It has to be looked through once more.
    var isDue = false
}

extension JobService {
    /// Removes ended jobs that are too old or too many. Files stay.
    func trimHistory() {
        let begins = history.withLock { history in
            guard history.days != nil || history.count != nil else { return false }
            defer { history.isTrimming = true }
            if history.isTrimming { history.isDue = true }
            return !history.isTrimming
        }
        if begins { Task { await trim() } }
    }

    private func trim() async {
        while true {
            try? await ledger.settle()
            let (days, count) = history.withLock { ($0.days, $0.count) }
            let before = days.map { LiveRuntime.wallClockMilliseconds - Int64($0) * 86_400_000 }
            let old = (try? store.endedJobs(beyond: count, before: before)) ?? []
            for id in old where (try? job(id).state.hasEnded) == true { try? await remove(id, deletesFiles: false) }
            let isDue = history.withLock { history in
                defer { history.isDue = false }
                if !history.isDue { history.isTrimming = false }
                return history.isDue
            }
            if !isDue { return }
        }
    }
}
