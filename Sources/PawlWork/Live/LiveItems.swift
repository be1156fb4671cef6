package import Pawl
package import PawlCore
package import PawlEngine
import PawlJobs
import Synchronization

/// Fetches items through the queue of a ``DownloadManager``, whose small files go to the slice at once.
package final class LiveItems: ItemFetchPort, FileReceiver {
    private struct Fetch {
        let item: Int
        let fileName: ExactText
        let host: ExactText
        let listener: any ItemListener
        /// The slice has its bytes.
        var isTaken = false
    }

    private struct State {
        var fetches: [DownloadID: Fetch] = [:]
        var ids: [ExactText: DownloadID] = [:]
        /// The failures in a row of hosts that cannot be reached.
        var failures: [ExactText: Int] = [:]

        mutating func remove(_ id: DownloadID) -> Fetch? {
            guard let fetch = fetches.removeValue(forKey: id) else { return nil }
            ids[fetch.fileName] = nil
            return fetch
        }
    }

    private let state = Locked(State())
    private let manager = Locked<DownloadManager?>(nil)
    private let planner: JobPlanner
    /// The part of a specification that all items share: what the plan says, and the spool's directory.
    private let common: JobSpec

    package init(_ plan: BatchPlan, spool: String, _ secrets: SecretReader, _ netrc: Netrc?) {
        var common = JobSpec("")
        (common.directory, common.options, common.context) = (spool, plan.options, plan.context)
        // Nothing of the spool has to outlive the machine, and what has the name of an item is a part of it.
        (common.options.sync, common.options.ifExists) = (.none, .replace)
        self.common = common
        planner = JobPlanner(secrets, netrc)
    }

    /// - Parameter manager: whose receiver this is.
    package func use(_ manager: DownloadManager) { self.manager.withLock { $0 = manager } }

    package func fetch(_ items: [ItemToFetch], _ listener: any ItemListener) {
        guard let manager = manager.withLock({ $0 }) else { return }
        for next in items {
            guard case .success(let asked) = next.item.spec else { continue }
            var spec = common
            (spec.source, spec.fileName) = (asked.source, next.fileName)
            if let digest = asked.options.digest { spec.options.digest = digest }
            if let size = asked.options.expectedSize { spec.options.expectedSize = size }
            let own = asked.context.headers
            if !own.isEmpty {
                let others = common.context.headers.filter { field in !own.contains { $0.isNamed(field.name) } }
                spec.context.headers = others + own
            }
            do throws(DownloadError) {
                let plan = try planner.plan(of: spec)
                let fetch = Fetch(
                    item: next.item.number, fileName: ExactText(next.fileName),
                    host: ExactText(plan.settings.askedURL.hostKey), listener: listener)
                _ = try manager.add(
                    plan,
                    DownloadPool.Joining(position: Int64(next.item.number), follower: self), onDuplicate: .fail,
                    added: { id in
                        state.withLock { state in
                            state.fetches[id] = fetch
                            state.ids[fetch.fileName] = id
                        }
                    })
            } catch {
                listener.failed(next.item.number, error)
            }
        }
    }

    package func stop(_ listener: any ItemListener) {
        guard let manager = manager.withLock({ $0 }) else { return }
        let ids = state.withLock { state in
            let ids = state.fetches.filter { $0.value.listener === listener }.keys.sorted()
            for id in ids { _ = state.remove(id) }
            return ids
        }
        for id in ids {
            manager.unfollow(id)
            try? manager.pause(id)
        }
    }

    package func receive(_ bytes: [UInt8], _ facts: FinishedFacts) throws(StorageError) {
        let name = ExactText(facts.fileName)
        let found = state.withLock { state in
            state.ids[name].flatMap { id in state.fetches[id].map { (id, $0) } }
        }
        guard let (id, fetch) = found else {
            throw StorageError(operation: "write", name: facts.fileName, reason: .stale)
        }
        try fetch.listener.received(fetch.item, bytes, facts)
        state.withLock { $0.fetches[id]?.isTaken = true }
    }
}

extension LiveItems: PoolFollower {
    package func hear(_ news: [PoolEvents.News]) {
        for news in news {
            switch news {
            case .event(.completed(let id, let facts, _)):
                guard let fetch = state.withLock({ $0.remove(id) }) else { continue }
                state.withLock { $0.failures[fetch.host] = nil }
                if !fetch.isTaken { fetch.listener.completed(fetch.item, facts) }
            case .event(.failed(let id, let error)): fail(id, error)
            case .state(let id, _): look(at: id)
            case .event(.removed), .event(.added), .event(.notice), .event(.notSaved), .missed: break
            }
        }
    }

    private func fail(_ id: DownloadID, _ error: DownloadError) {
        guard let fetch = state.withLock({ $0.remove(id) }) else { return }
        try? manager.withLock { $0 }?.remove(id)
        if !fetch.isTaken { fetch.listener.failed(fetch.item, error) }
        guard isDead(fetch.host, after: error) else { return }
        // The others would fail alike, one after the other.
        let others = state.withLock { state in
            let ids = state.fetches.filter { $0.value.host == fetch.host && !$0.value.isTaken }.keys.sorted()
            return ids.compactMap { id in state.remove(id).map { (id, $0) } }
        }
        for (id, other) in others {
            let manager = manager.withLock { $0 }
            manager?.unfollow(id)
            try? manager?.remove(id)
            other.listener.failed(other.item, error)
        }
    }

    /// The failures in a row after which a host is given up for the rest of a slice.
    private static let maximumFailures = 5

    /// Whether a host is not worth the time that it takes, since it cannot be reached.
    private func isDead(_ host: ExactText, after error: DownloadError) -> Bool {
        state.withLock { state in
            guard FailedItem(error).mayBeOurs else {
                state.failures[host] = nil
                return false
            }
            state.failures[host, default: 0] += 1
            return (state.failures[host] ?? 0) >= Self.maximumFailures
        }
    }

    /// A disk that is full is not waited for: another machine may have room.
    private func look(at id: DownloadID) {
        guard let manager = manager.withLock({ $0 }), case .waiting(.diskFull(let error))? = manager.state(of: id)
        else {
            return
        }
        manager.unfollow(id)
        fail(id, error)
    }

    package func poolEnded() {}
}
