import Testing

@testable import PawlServer

@Suite struct `What is news to sessions of the RPC` {
    private let began = ContinuousClock.now
    private let wall: Int64 = 1_000_000_000

    @Test func `it begins with the first session, however long that lasts`() {
        var horizon = NewsHorizon(wall: wall, now: began)
        for seconds in [1, 60, 86_400] as [Int64] {
            horizon.look(wall: wall + 1000 * seconds, now: began + .seconds(seconds))
            #expect(horizon.since == wall)
        }
    }

    @Test func `a download that ends after the clock was set back is news`() {
        var horizon = NewsHorizon(wall: wall, now: began)
        // An hour back after a minute, and an end ten seconds later.
        let ended = wall + 60_000 - 3_600_000 + 10_000
        horizon.look(wall: ended, now: began + .seconds(70))
        #expect(ended >= horizon.since)
        // Set right again, before the end was looked at once more.
        horizon.look(wall: wall + 80_000, now: began + .seconds(80))
        #expect(ended >= horizon.since)
        // A day before it is none.
        #expect(wall - 86_400_000 < horizon.since)
    }

    @Test func `a clock that is set forward hides nothing`() {
        var horizon = NewsHorizon(wall: wall, now: began)
        horizon.look(wall: wall + 3_600_000, now: began + .seconds(1))
        #expect(horizon.since == wall)
    }
}
