import Synchronization

/// Tells readers what happens, each at its own pace: the latest state of each key, and events in order. No caller ever
/// waits for a reader.
///
/// States of a key that a reader has not read are combined: it gets the latest, in the place of the first. At most
/// ``maximumWaiting`` events wait for a reader; beyond that, the older half is dropped and counted.
package final class Broadcast<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: Sendable {
    /// The news as a reader gets them.
    package enum News: Sendable {
        case state(Key, State)
        case event(Event)
        /// This many events were dropped, because the reader was too slow.
        case missed(Int)
    }

    package enum Item: Sendable {
        case state(Key, State)
        case event(Event)
        /// An event that is never dropped. States of `key` from before and after it are not combined.
        case kept(Event, parting: Key? = nil)
        /// The event with which a key goes: its unread state goes unread.
        case removal(Key, Event)
    }

    package static var maximumWaiting: Int { 4096 }

    private struct Readers {
        var all: [Weak] = []
        var isFinished = false

        /// Returns the readers that there are, and forgets the others. Without a key path: in a generic type, making
        /// one costs more than what readers are told.
        mutating func takeAlive() -> [Reader] {
            var alive: [Reader] = []
            for weak in all { if let reader = weak.reader { alive.append(reader) } }
            if alive.count < all.count { all.removeAll { $0.reader == nil } }
            return alive
        }
    }

    private struct Weak {
        weak var reader: Reader?
    }

    private let readers = Locked(Readers())

    package init() {}

    /// - Parameter opening: what the reader gets first, however slow it is.
    package func makeReader(after opening: [Item] = []) -> Reader {
        readers.withLock { readers in
            let reader = Reader(opening, isFinished: readers.isFinished)
            readers.all.append(Weak(reader: reader))
            return reader
        }
    }

    package func publish(_ item: Item) { publish([item]) }

    package func publish(_ items: [Item]) {
        for reader in readers.withLock({ $0.takeAlive() }) { reader.offer(items) }
    }

    /// No more news follow; pending ones are still delivered.
    package func finish() {
        let readers = readers.withLock { readers in
            readers.isFinished = true
            return readers.takeAlive()
        }
        for reader in readers { reader.finish() }
    }

    package final class Reader: Sendable {
        private struct Waiting {
            var items: [Item?] = []
            /// The place in `items` of each key's unread state.
            var places: [Key: Int] = [:]
            /// The number of `items` that may be dropped, and of those that were.
            var events = 0
            var missed = 0
            var isFinished: Bool
            var waiters: [CheckedContinuation<Void, Never>] = []
            /// News that one of the readers' iterators has taken, and that none has read.
            var taken: ArraySlice<News> = []
            /// The number of news that were read.
            var read = 0

            mutating func append(_ item: Item) {
                switch item {
                case .state(let key, _):
                    if let place = places[key] { return items[place] = item }
                    places[key] = items.count
                case .event:
                    if events >= maximumWaiting { dropOlderHalf() }
                    events += 1
                case .kept(_, let key): if let key { places[key] = nil }
                case .removal(let key, _):
                    if let place = places.removeValue(forKey: key) { items[place] = nil }
                    if events >= maximumWaiting { dropOlderHalf() }
                    events += 1
                }
                items.append(item)
            }

            private mutating func dropOlderHalf() {
                var rest = maximumWaiting / 2
                missed += rest
                events -= rest
                items.removeAll { item in
                    guard rest > 0 else { return item == nil }
                    switch item {
                    case .event, .removal: rest -= 1
                    case .state, .kept: return false
                    case nil: break
                    }
                    return true
                }
                places = [:]
                for (place, item) in items.enumerated() {
                    switch item {
                    case .state(let key, _): places[key] = place
                    case .kept(_, let key): if let key { places[key] = nil }
                    case .event, .removal, nil: break
                    }
                }
            }

            mutating func take() -> [News] {
                guard !items.isEmpty else {
                    defer { taken = [] }
                    return Array(taken)
                }
                var news = Array(taken)
                taken = []
                for case .some(let item) in items {
                    switch item {
                    case .state(let key, let state): news.append(.state(key, state))
                    case .kept(let event, _): news.append(.event(event))
                    case .event(let event), .removal(_, let event):
                        // All that are left came after those that were dropped.
                        if missed > 0 { news.append(.missed(missed)) }
                        missed = 0
                        news.append(.event(event))
                    }
                }
                (items, places, events) = ([], [:], 0)
                read += news.count
                return news
            }

            mutating func popFirst() -> News? {
                if taken.isEmpty { taken = take()[...] }
                return taken.popFirst()
            }

            mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
                defer { waiters = [] }
                return waiters
            }
        }

        /// The number of news after which a reader leaves time for more to gather: to wake one costs about as much as
        /// downloading a small file.
        private static var manyNews: Int { 200 }

        private let waiting: Locked<Waiting>

        /// A reader of one teller alone, who offers the news to it.
        package init(_ opening: [Item] = [], isFinished: Bool = false) {
            var first = Waiting(isFinished: isFinished)
            for item in opening { first.append(item) }
            waiting = Locked(first)
        }

        package func offer(_ items: [Item]) {
            let waiters = waiting.withLock { waiting in
                for item in items { waiting.append(item) }
                return waiting.takeWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }

        /// No more news follow; pending ones are still delivered.
        package func finish() {
            let waiters = waiting.withLock { waiting in
                waiting.isFinished = true
                return waiting.takeWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }

        /// Returns the news since the last call; empty if there are none.
        package func take() -> [News] { waiting.withLock { $0.take() } }

        /// Waits for the next of the news, as ``next(pause:)``.
        package func nextOne(pause: () async -> Void) async -> News? {
            let (next, isPaced) = waiting.withLock { waiting in
                (waiting.taken.popFirst(), waiting.read > Self.manyNews && !waiting.isFinished)
            }
            if let next { return next }
            if isPaced { await pause() }
            while true {
                let (next, isFinished) = waiting.withLock { ($0.popFirst(), $0.isFinished) }
                if let next { return next }
                if isFinished || Task.isCancelled { return nil }
                await wait()
            }
        }

        /// Waits for news. Returns nil at the end, and when the task is cancelled.
        ///
        /// - Parameter pause: called first once many news have been read, so that more can gather.
        package func next(pause: () async -> Void) async -> [News]? {
            if waiting.withLock({ $0.read > Self.manyNews && !$0.isFinished }) { await pause() }
            while true {
                let (news, isFinished) = waiting.withLock { ($0.take(), $0.isFinished) }
                if !news.isEmpty { return news }
                if isFinished || Task.isCancelled { return nil }
                await wait()
            }
        }

        private func wait() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let mayWait = waiting.withLock { waiting in
                        guard waiting.items.isEmpty, waiting.taken.isEmpty, !waiting.isFinished, !Task.isCancelled
                        else { return false }
                        waiting.waiters.append(continuation)
                        return true
                    }
                    if !mayWait { continuation.resume() }
                }
            } onCancel: {
                // Other waiters find nothing new, and wait again.
                for waiter in waiting.withLock({ $0.takeWaiters() }) { waiter.resume() }
            }
        }
    }
}
