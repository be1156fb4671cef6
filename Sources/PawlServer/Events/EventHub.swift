import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// Tells readers of the event stream what happens.
///
/// A reader takes what it has not seen when it is ready for it: one that is slow, or stuck, costs nothing but its
/// connection.
final class EventHub: Sendable {
    typealias FeedChange = (number: Int64, change: Store.Feed.Change)

    /// A change of the feed, ready to be sent.
    struct Change: Sendable {
        var number: Int64
        var id: ExactText?
        var text: String

        fileprivate init(_ change: FeedChange, _ text: String) {
            (number, self.text) = (change.number, text)
            id =
                switch change.change {
                case .put(let job): ExactText(job.id)
                case .removed(let id): ExactText(id)
                case .settings: nil
                }
        }
    }

    /// The part of the news that a reader takes at once.
    struct News: Sendable {
        var changes: [Change] = []
        /// The reader has missed changes, and reads the list anew.
        var reset: Int64?
        /// The latest figures, if there are newer ones than the reader has.
        var figures: [String] = []
        var isEnd = false
    }

    /// The position of a reader in the feed.
    struct Place: Sendable {
        var change: Int64
        fileprivate var progress: UInt64 = 0
        fileprivate var stats: UInt64 = 0

        init(change: Int64) { self.change = change }
    }

    private struct State {
        /// The latest changes, oldest first; those before ``start`` have to be read from the database.
        var recent: [Change] = []
        /// The change after which all changes, up to ``last``, are in ``recent``.
        var start: Int64 = 0
        var last: Int64 = 0
        var progress: (number: UInt64, text: String) = (0, "")
        var stats: (number: UInt64, text: String) = (0, "")
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
        var readers = 0
        var isStopped = false
    }

    /// The number of changes that are kept as text, for all readers together.
    private static let maximumRecent = 2000
    /// The number of changes read from the database at once.
    private static let batch = 200
    /// The number of changes given to a reader at once: two hundred of them may hold as much each.
    private static let readerBatch = 50
    static let progressInterval = Duration.milliseconds(250)
    /// The time before the database is asked again after it has failed.
    private static let retryInterval = Duration.milliseconds(500)

    private let store: Store
    private struct Listener {
        var call: (@Sendable ([FeedChange]) -> Void)?
    }

    private let listener = Locked(Listener())
    private let words: @Sendable ([FeedChange]) throws(DownloadError) -> [String]
    private let figures: @Sendable (_ withStats: Bool) -> (progress: String?, stats: String?)
    private let state = Locked(State())
    /// The signal that something may have changed.
    private let wake: AsyncStream<Void>.Continuation
    private let tasks = Locked<[Task<Void, Never>]>([])

    /// - Parameters:
    ///   - words: the events of changes, each as lines of the stream.
    ///   - figures: the event `progress`, nil if nothing runs, and if it is asked for the event `stats`.
    init(
        _ store: Store, words: @escaping @Sendable ([FeedChange]) throws(DownloadError) -> [String],
        figures: @escaping @Sendable (_ withStats: Bool) -> (progress: String?, stats: String?)
    ) throws(DownloadError) {
        self.store = store
        self.words = words
        self.figures = figures
        let last = try store.lastChange()
        state.withLock { ($0.start, $0.last) = (last, last) }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wake = continuation
        store.observe { continuation.yield() }
        tasks.withLock { tasks in
            tasks.append(Task { [weak self] in for await _ in stream { await self?.readChanges() } })
            tasks.append(Task { [weak self] in await Self.tick { [weak self] in self } })
        }
    }

    /// Hears of the changes that come while there are readers, in order; of several changes of a download between two
    /// looks, of the last.
    func listen(_ listener: @escaping @Sendable ([FeedChange]) -> Void) {
        self.listener.withLock { $0.call = listener }
    }

    /// Tells every reader that the service stops.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            return take(&state.waiting)
        }
        for waiter in waiting { waiter.resume() }
        wake.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    var readers: Int { state.withLock { $0.readers } }
    var last: Int64 { state.withLock { $0.last } }

    // MARK: What there is to tell

    /// Reads until nothing is new. The change that was not read may be the last one for long, so nobody else would ask
    /// again after an error of the database.
    private func readChanges() async {
        while !Task.isCancelled {
            do throws(DownloadError) {
                guard try readBatch() else { return }
            } catch {
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
    }

    /// - Returns: false once nothing is new.
    private func readBatch() throws(DownloadError) -> Bool {
        let last = state.withLock { $0.last }
        guard readers > 0 else {
            try forget()
            return false
        }
        guard let fresh = try changes(since: last, listener.withLock { $0.call }) else {
            try startAnew()
            return false
        }
        guard !fresh.isEmpty else { return false }
        let ids = Set(fresh.map(\.id))
        let waiting = state.withLock { state in
            // Only the latest change of a download is told.
            state.recent.removeAll { ids.contains($0.id) }
            state.recent += fresh
            state.last = fresh.last?.number ?? state.last
            if state.recent.count > Self.maximumRecent {
                let surplus = state.recent.count - Self.maximumRecent
                state.start = state.recent[surplus - 1].number
                state.recent.removeFirst(surplus)
            }
            return take(&state.waiting)
        }
        for waiter in waiting { waiter.resume() }
        return true
    }

    /// Begins the feed anew after too many removals since the last look: every reader is behind, and learns so when it
    /// asks.
    private func startAnew() throws(DownloadError) {
        let last = try store.lastChange()
        let waiting = state.withLock { state in
            (state.recent, state.start, state.last) = ([], last, last)
            return take(&state.waiting)
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Drops the recent changes while nobody reads; the next reader gets them from the database.
    private func forget() throws(DownloadError) {
        let last = try store.lastChange()
        state.withLock { state in
            guard state.readers == 0 else { return }
            (state.recent, state.start, state.last) = ([], last, last)
        }
    }

    /// - Returns: nil where the list has to be read anew.
    private func changes(
        since change: Int64, _ listener: (@Sendable ([FeedChange]) -> Void)? = nil
    ) throws(DownloadError) -> [Change]? {
        guard let feed = try store.feed(since: change, limit: Self.batch) else { return nil }
        listener?(feed.changes)
        return zip(feed.changes, try words(feed.changes)).map(Change.init)
    }

    /// Figures come in a fixed rhythm, and only while somebody reads.
    private static func tick(_ hub: @Sendable () -> EventHub?) async {
        var ticks = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: progressInterval)
            guard let hub = hub() else { return }
            ticks += 1
            if hub.readers > 0 { hub.takeFigures(withStats: ticks % 4 == 0) }
        }
    }

    private func takeFigures(withStats: Bool) {
        let (progress, stats) = figures(withStats)
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            var isNew = false
            if let progress, !progress.utf8.elementsEqual(state.progress.text.utf8) {
                state.progress = (state.progress.number + 1, progress)
                isNew = true
            }
            if let stats, !stats.utf8.elementsEqual(state.stats.text.utf8) {
                state.stats = (state.stats.number + 1, stats)
                isNew = true
            }
            return isNew ? take(&state.waiting) : []
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Lets every reader look whether it may go on.
    func wakeReaders() {
        let waiting = state.withLock { take(&$0.waiting) }
        for waiter in waiting { waiter.resume() }
    }

    private func take(_ waiting: inout [UInt64: CheckedContinuation<Void, Never>]) -> [CheckedContinuation<Void, Never>]
    {
        defer { waiting = [:] }
        return Array(waiting.values)
    }

    // MARK: Readers

    func enter() { state.withLock { $0.readers += 1 } }
    func leave() { state.withLock { $0.readers -= 1 } }

    /// Returns the news that a reader has not seen; empty if there is none.
    ///
    /// - Throws: what the database says.
    func news(_ place: inout Place) throws(DownloadError) -> News {
        var news = News()
        let isBehind = state.withLock { state in
            news.isEnd = state.isStopped
            if state.progress.number > place.progress {
                place.progress = state.progress.number
                news.figures.append(state.progress.text)
            }
            if state.stats.number > place.stats {
                place.stats = state.stats.number
                news.figures.append(state.stats.text)
            }
            guard place.change >= state.start, place.change <= state.last else { return true }
            let first = state.recent.partitioningIndex { $0.number > place.change }
            news.changes = Array(state.recent[first...].prefix(Self.readerBatch))
            return false
        }
        if isBehind {
            if let changes = try changes(since: place.change) {
                news.changes = changes
            } else {
                news.reset = try store.lastChange()
            }
        }
        place.change = news.reset ?? news.changes.last?.number ?? place.change
        return news
    }

    /// Returns when there may be news, or after a time.
    func wait(_ place: Place, atMost time: Duration) async {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            release(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    let isNew =
                        state.isStopped || state.last > place.change || state.progress.number > place.progress
                        || state.stats.number > place.stats
                    if !isNew && !Task.isCancelled { state.waiting[number] = continuation }
                    return !isNew && !Task.isCancelled
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            release(number)
        }
        timer.cancel()
    }

    private func release(_ number: UInt64) { state.withLock { $0.waiting.removeValue(forKey: number) }?.resume() }
}

extension Array {
    /// The first index for which the predicate holds, where it holds for all that follow.
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
