import PawlCore
import Testing

@Suite("The buffer watch of a paced connection")
struct BufferWatchTests {
    private static func look(_ milliseconds: Int64, _ received: UInt64, roundTrip: Int64) -> BufferWatch.Look {
        BufferWatch.Look(at: at(milliseconds), bytesReceived: received, roundTrip: .milliseconds(roundTrip))
    }

    private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var received: UInt64
        var roundTrip: Int64
        var heldMilliseconds: Int64 = 0
        var larger: Int?
    }

    @Test(arguments: [
        // At 1 MB/s and 20 ms the buffer was 56 KB.
        Way(testDescription: "longer", received: 280_000, roundTrip: 200, larger: 281_250),
        Way(
            testDescription: "longer, and held a little", received: 280_000, roundTrip: 200, heldMilliseconds: 200,
            larger: 281_250),
        Way(testDescription: "longer than any", received: 56_000, roundTrip: 5_000, larger: 1_281_250),
        Way(testDescription: "as it was", received: 1_000_000, roundTrip: 20),
        Way(testDescription: "mostly held by the limit", received: 1_000_000, roundTrip: 200, heldMilliseconds: 300),
        Way(testDescription: "a slow peer", received: 100_000, roundTrip: 200),
        Way(testDescription: "nothing", received: 0, roundTrip: 200),
    ])
    func `a buffer grows only when the round trip has become longer than the buffer was sized for`(way: Way) {
        let pace = Pace(bytesPerSecond: 1_000_000, maximumBytesPerSecond: 1_000_000)
        var watch = BufferWatch()
        #expect(watch.isPeriodOver(at: Self.at(0)))
        #expect(watch.largerSize(than: 56_250, for: pace, Self.look(0, 5000, roundTrip: 20)) == nil, "the first look")
        watch.hold(at: Self.at(100))
        watch.hold(at: Self.at(100 + way.heldMilliseconds))
        watch.resume(at: Self.at(100 + way.heldMilliseconds))
        watch.resume(at: Self.at(900))
        #expect(!watch.isPeriodOver(at: Self.at(999)))
        #expect(watch.isPeriodOver(at: Self.at(1000)))
        let look = Self.look(1000, 5000 + way.received, roundTrip: way.roundTrip)
        #expect(watch.largerSize(than: 56_250, for: pace, look) == way.larger)
        #expect(watch.largerSize(than: 2_000_000, for: pace, look) == nil)
    }

    @Test func `a buffer counts as full when nothing arrived while reads were held; otherwise the peer is pausing`() {
        var watch = BufferWatch()
        #expect(watch.isLookDue(at: Self.at(0)))
        #expect(watch.isFull(Self.look(0, 1000, roundTrip: 10)) == false)
        #expect(!watch.isLookDue(at: Self.at(19)))
        #expect(watch.isLookDue(at: Self.at(20)))
        #expect(watch.isFull(Self.look(50, 1000, roundTrip: 10)) == false, "a pause")
        watch.hold(at: Self.at(60))
        watch.resume(at: Self.at(90))
        #expect(watch.isFull(Self.look(90, 2000, roundTrip: 10)) == false, "something came")
        watch.hold(at: Self.at(90))
        watch.resume(at: Self.at(140))
        #expect(watch.isFull(Self.look(140, 2000, roundTrip: 10)) == true)
        watch.hold(at: Self.at(140))
        watch.resume(at: Self.at(190))
        #expect(watch.isFull(Self.look(190, 2000, roundTrip: 30)) == false, "more may be under way")
        watch.forgetLook()
        #expect(watch.isLookDue(at: Self.at(190)))
        #expect(watch.isFull(Self.look(500, 2000, roundTrip: 0)) == false)
    }
}
