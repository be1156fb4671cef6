public import PawlCore
package import PawlEngine

extension DownloadManager {
    /// An event in a manager.
    public enum Event: Hashable, Sendable {
        case added(DownloadID)
        /// The state, progress, place or priority of a download has changed. Changes since the last one read are
        /// combined.
        case changed(DownloadSnapshot)
        /// An event worth reporting to a person or a log.
        case notice(DownloadID, DownloadNotice)
        case completed(DownloadID, DownloadResult)
        /// The download has failed, and is not retried until ``DownloadManager/resume(_:)``.
        case failed(DownloadID, DownloadError)
        case removed(DownloadID)
        /// The session could not be saved; it is tried again by itself.
        case sessionNotSaved(DownloadError)
        /// This reader was so slow that this many events, other than `changed`, were dropped. Look at
        /// ``DownloadManager/snapshots``.
        case missed(Int)
    }

    /// An `AsyncSequence` that begins with the downloads as they stood when it was made, and goes on with every event
    /// since then.
    ///
    /// First come the known downloads in the order of ``DownloadManager/snapshots``: ``Event/changed(_:)`` for each,
    /// and right after it ``Event/completed(_:_:)`` or ``Event/failed(_:_:)`` for one that has ended. Each end is told
    /// once: either there or as a later event.
    ///
    /// Slow readers receive only the latest progress. Up to 4,096 other events wait for a reader; beyond that, the
    /// older half is dropped and counted (``Event/missed(_:)``). The downloads that the sequence begins with are never
    /// dropped. Ends with ``DownloadManager/shutdown()``; made after that, it holds the downloads as they were left.
    public struct Events: AsyncSequence, Sendable {
        public typealias Element = Event

        let manager: DownloadManager
        let reader: PoolEvents.Reader

        public struct AsyncIterator: AsyncIteratorProtocol {
            let events: Events

            public mutating func next() async -> Event? {
                while let news = await events.reader.nextOne(pause: { try? await Pause.sleep(for: .milliseconds(5)) }) {
                    if let event = events.manager.event(news) { return event }
                }
                return nil
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: self) }
    }

    /// Translates an event; nil if its download is gone meanwhile.
    package func event(_ news: PoolEvents.News) -> Event? {
        switch news {
        case .state(let id, _): snapshot(id).map(Event.changed)
        case .missed(let count): .missed(count)
        case .event(let event): self.event(event)
        }
    }

    private func event(_ event: PoolEvent) -> Event {
        switch event {
        case .added(let id): .added(id)
        case .notice(let id, let report, let now): .notice(id, DownloadNotice(report, now: now))
        case .completed(let id, let facts, let directory): .completed(id, DownloadResult(facts, in: directory))
        case .failed(let id, let error): .failed(id, error)
        case .removed(let id): .removed(id)
        case .notSaved(let error): .sessionNotSaved(error)
        }
    }
}
