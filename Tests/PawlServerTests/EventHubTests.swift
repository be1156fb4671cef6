import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import PawlServer

@Suite struct `The hub of events` {
    @Test func `a change is told although the database failed when it was to be read`() async throws {
        let directory = try TemporaryDirectory("hub")
        let store = try Store(directory.file("jobs.sqlite"))
        defer { store.close() }
        let failures = Locked(2)
        let hub = try EventHub(
            store,
            words: { (changes: [EventHub.FeedChange]) throws(DownloadError) in
                let fails = failures.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if fails { throw DownloadError(.diskError, "The disk has failed.", recovery: .retryNow) }
                return changes.map { "\($0.number)" }
            }, figures: { _ in (nil, nil) })
        defer { hub.stop() }
        hub.enter()
        var place = EventHub.Place(change: hub.last)
        let added = try await store.apply(StoreTests.adding(1)).added[0]
        // Nothing else happens that would have it read.
        while try hub.news(&place).changes.isEmpty { await hub.wait(place, atMost: .seconds(600)) }
        #expect(place.change == added.change)
        #expect(failures.withLock { $0 } < 0)
    }
}
