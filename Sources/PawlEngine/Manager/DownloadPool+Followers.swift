package import PawlCore
import Synchronization

/// Told what happens to the downloads that it follows, in order and several news at once, on threads that it may block.
package protocol PoolFollower: AnyObject, Sendable {
    func hear(_ news: [PoolEvents.News])

    /// The pool was shut down, and nothing follows.
    func poolEnded()
}

/// The followers of single downloads, and what they are still to be told.
struct PoolFollowers {
    private typealias Untold = (follower: any PoolFollower, news: PoolEvents.News)

    private var followers: [DownloadID: any PoolFollower] = [:]
    private var untold: [Untold?] = []
    /// The places of untold changes of a download's state.
    private var changed: [DownloadID: Int] = [:]
    private var isTelling = false
    private var toldCount = 0

    /// The number of news after which more are gathered before they are told: to wake a thread costs about as much as
    /// downloading a small file.
    private static let manyNews = 200
    static let pause: Duration = .milliseconds(5)

    var isEmpty: Bool { followers.isEmpty }

    /// Returns false if the download has a follower already.
    mutating func add(_ follower: any PoolFollower, of id: DownloadID) -> Bool {
        guard followers[id] == nil else { return false }
        followers[id] = follower
        return true
    }

    mutating func remove(_ id: DownloadID) {
        followers[id] = nil
        // A follower to come is told anew.
        if let place = changed.removeValue(forKey: id) { untold[place] = nil }
    }

    mutating func note(_ news: PoolEvents.News, of id: DownloadID) {
        guard let follower = followers[id] else { return }
        if case .state = news {
            if changed[id] != nil { return }
            changed[id] = untold.count
        }
        untold.append((follower, news))
    }

    /// The download has ended: its follower hears no more of it, and nothing of changes that it was not told yet.
    mutating func noteEnd(_ end: PoolEvent, of id: DownloadID) {
        guard let follower = followers.removeValue(forKey: id) else { return }
        if let place = changed.removeValue(forKey: id) { untold[place] = nil }
        untold.append((follower, .event(end)))
    }

    /// How news are to be told; nil if there are none, or somebody tells them already.
    enum Telling { case now, later }

    mutating func beginTelling() -> Telling? {
        guard !isTelling, !untold.isEmpty else { return nil }
        isTelling = true
        return toldCount > Self.manyNews ? .later : .now
    }

    /// Returns what is to be told next; nil once there is nothing, and telling has ended.
    mutating func takeUntold() -> [(follower: any PoolFollower, news: [PoolEvents.News])]? {
        guard !untold.isEmpty else {
            isTelling = false
            return nil
        }
        var groups: [(follower: any PoolFollower, news: [PoolEvents.News])] = []
        for case .some(let next) in untold {
            if groups.last?.follower !== next.follower { groups.append((next.follower, [])) }
            groups[groups.count - 1].news.append(next.news)
        }
        toldCount += untold.count
        (untold, changed) = ([], [:])
        return groups
    }

    /// Ends all.
    ///
    /// - Returns: who is to hear of it, each once.
    mutating func end() -> [any PoolFollower] {
        defer { followers = [:] }
        var known: Set<ObjectIdentifier> = []
        return followers.values.filter { known.insert(ObjectIdentifier($0)).inserted }
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
    package func follow(_ id: DownloadID, _ follower: any PoolFollower) -> Following {
        state.withLock { state in
            guard !state.isSettled, let entry = state.machine[id] else { return .over }
            guard state.followers.add(follower, of: id) else { return .taken }
            switch entry.state {
            case .completed(let facts):
                state.followers.noteEnd(.completed(id, facts, directory: entry.directory), of: id)
            case .failed(let error): state.followers.noteEnd(.failed(id, error), of: id)
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
                state.followers.noteEnd(.completed(id, facts, directory: directory), of: id)
            case .failed(let id, let error): state.followers.noteEnd(.failed(id, error), of: id)
            case .removed(let entry, _): state.followers.noteEnd(.removed(entry.id), of: entry.id)
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
            for (follower, news) in untold { follower.hear(news) }
        }
    }

    /// Tells all that is left, and then the end.
    func endFollowers() async {
        await withCheckedContinuation { continuation in
            followExecutor.submit { [self] in
                drainFollowers()
                for follower in state.withLock({ $0.followers.end() }) { follower.poolEnded() }
                continuation.resume()
            }
        }
    }
}
