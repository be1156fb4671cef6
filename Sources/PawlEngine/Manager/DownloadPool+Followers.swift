package import PawlCore
import Synchronization

/// Told what happens to one download, one news after the other, on threads that it may block. Nil: the pool was shut
/// down, and nothing follows.
package typealias PoolFollower = @Sendable (PoolEvents.News?) -> Void

/// The followers of single downloads, and what they are still to be told.
struct PoolFollowers {
    private var followers: [DownloadID: PoolFollower] = [:]
    private var untold: [(PoolFollower, PoolEvents.News)] = []
    /// The downloads of which it is untold that their state has changed.
    private var changed: Set<DownloadID> = []
    private var isTelling = false
    private var toldCount = 0

    /// The number of news after which more are gathered before they are told: to wake a thread costs about as much as
    /// downloading a small file.
    private static let manyNews = 200
    static let pause: Duration = .milliseconds(5)

    var isEmpty: Bool { followers.isEmpty }

    /// Returns false if the download has a follower already.
    mutating func add(_ follower: @escaping PoolFollower, of id: DownloadID) -> Bool {
        guard followers[id] == nil else { return false }
        followers[id] = follower
        return true
    }

    mutating func remove(_ id: DownloadID) { followers[id] = nil }

    /// - Parameter isLast: the download has ended, and its follower hears no more of it.
    mutating func note(_ news: PoolEvents.News, of id: DownloadID, isLast: Bool = false) {
        guard let follower = followers[id] else { return }
        if case .state = news, !changed.insert(id).inserted { return }
        untold.append((follower, news))
        if isLast { followers[id] = nil }
    }

    /// How news are to be told; nil if there are none, or somebody tells them already.
    enum Telling { case now, later }

    mutating func beginTelling() -> Telling? {
        guard !isTelling, !untold.isEmpty else { return nil }
        isTelling = true
        return toldCount > Self.manyNews ? .later : .now
    }

    /// Returns what is to be told next; nil once there is nothing, and telling has ended.
    mutating func takeUntold() -> [(PoolFollower, PoolEvents.News)]? {
        guard !untold.isEmpty else {
            isTelling = false
            return nil
        }
        defer { (untold, changed) = ([], []) }
        toldCount += untold.count
        return untold
    }

    /// Ends all: what they were not told yet, and who is to hear of the end.
    mutating func end() -> [PoolFollower] {
        defer { followers = [:] }
        return Array(followers.values)
    }
}

extension DownloadPool {
    package enum Following: Hashable, Sendable {
        case begun
        /// The download has a follower already.
        case taken
        /// The download is not there (any more), or the pool was shut down.
        case over
    }

    /// Tells `follower` of a download from now on, beginning with its state as it is, until it has completed, failed or
    /// been removed.
    ///
    package func follow(_ id: DownloadID, _ follower: @escaping PoolFollower) -> Following {
        state.withLock { state in
            guard !state.isSettled, let entry = state.machine[id] else { return .over }
            guard state.followers.add(follower, of: id) else { return .taken }
            switch entry.state {
            case .completed(let facts):
                let end = PoolEvent.completed(id, facts, directory: entry.directory)
                state.followers.note(.event(end), of: id, isLast: true)
            case .failed(let error): state.followers.note(.event(.failed(id, error)), of: id, isLast: true)
            case .queued, .running, .waiting, .paused: state.followers.note(.state(id, ()), of: id)
            }
            tellFollowers(&state)
            return .begun
        }
    }

    /// Ends what ``follow(_:_:)`` began.
    package func unfollow(_ id: DownloadID) { state.withLock { $0.followers.remove(id) } }

    func noteForFollowers(_ actions: [QueueAction], _ state: inout State) {
        guard !state.followers.isEmpty else { return }
        for action in actions {
            switch action {
            case .changed(let id): state.followers.note(.state(id, ()), of: id)
            case .completed(let id, let facts, let directory):
                state.followers.note(.event(.completed(id, facts, directory: directory)), of: id, isLast: true)
            case .failed(let id, let error): state.followers.note(.event(.failed(id, error)), of: id, isLast: true)
            case .removed(let entry, _): state.followers.note(.event(.removed(entry.id)), of: entry.id, isLast: true)
            case .start, .stop, .measure: break
            }
        }
        tellFollowers(&state)
    }

    func tellFollowers(_ news: PoolEvents.News, of id: DownloadID) {
        state.withLock { state in
            state.followers.note(news, of: id)
            tellFollowers(&state)
        }
    }

    private func tellFollowers(_ state: inout State) {
        guard !state.isSettled, let telling = state.followers.beginTelling() else { return }
        switch telling {
        case .now: followExecutor.submit { [self] in drainFollowers() }
        case .later:
            _ = ports.runtime.schedule(after: PoolFollowers.pause, on: executor) { [self] in
                // Once the pool is settled, its end tells what is left, and may have ended the threads.
                guard !self.state.withLock({ $0.isSettled }) else { return }
                followExecutor.submit { [self] in drainFollowers() }
            }
        }
    }

    private func drainFollowers() {
        while let untold = state.withLock({ $0.followers.takeUntold() }) {
            for (follower, news) in untold { follower(news) }
        }
    }

    /// Tells all that is left, and then the end.
    func endFollowers() async {
        await withCheckedContinuation { continuation in
            followExecutor.submit { [self] in
                drainFollowers()
                for follower in state.withLock({ $0.followers.end() }) { follower(nil) }
                continuation.resume()
            }
        }
    }
}
