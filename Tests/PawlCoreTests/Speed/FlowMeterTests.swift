import Testing

@testable import PawlCore

@Suite("The meter of an exchange's bytes and rate")
struct FlowMeterTests {
    private func at(_ seconds: Double) -> Instant { .zero + .milliseconds(Int(seconds * 1000)) }

    @Test
    func
        `the byte count never falls, and only time without new bytes and without a hold on our side counts as a stall`()
    {
        var meter = FlowMeter(at: at(0))
        meter.note(received: 100, isHeldByUs: false, at: at(1))
        meter.note(received: 100, isHeldByUs: false, at: at(2))
        #expect(meter.received == 100 && meter.lastReceived == at(1))
        meter.note(received: 50, isHeldByUs: true, at: at(3))
        #expect(meter.received == 100 && meter.lastReceived == at(3) && meter.isHeldByUs)
    }

    @Test func `the rate is a decaying average, sampled at most twenty times a second`() {
        var meter = FlowMeter(at: at(0))
        meter.note(received: 1000, isHeldByUs: false, at: at(0.5))
        meter.sampleRate(at: at(0.01))
        #expect(meter.bytesPerSecond == 0 && !meter.isMeasured)
        meter.sampleRate(at: at(0.5))
        #expect(meter.bytesPerSecond == 2000 && meter.isMeasured)
        meter.sampleRate(at: at(1))
        #expect(meter.bytesPerSecond == 1000)
        meter.sampleRate(at: at(2))
        #expect(meter.bytesPerSecond == 0)
    }

    @Test func `after a second without bytes the rate is known to be zero`() {
        var meter = FlowMeter(at: at(0))
        meter.sampleRate(at: at(0.9))
        #expect(!meter.isMeasured)
        meter.sampleRate(at: at(1))
        #expect(meter.isMeasured && meter.bytesPerSecond == 0)
    }

    @Test func `after a burst, the dependable rate is the average since the beginning`() {
        var meter = FlowMeter(at: at(0))
        meter.sampleRate(at: at(9))
        meter.note(received: 10_000, isHeldByUs: false, at: at(10))
        meter.sampleRate(at: at(10))
        #expect(meter.bytesPerSecond == 10_000 && meter.dependableRate(at: at(10)) == 1000)
    }

    @Test func `N05 a connection counts as crawling too long after half a minute without a break`() {
        var meter = FlowMeter(at: at(0))
        let tooLong = [(true, 0.0), (true, 29), (false, 30), (true, 31), (true, 60.9), (true, 61)].map {
            meter.hasCrawledTooLong($0.0, at: at($0.1))
        }
        #expect(tooLong == [false, false, false, false, false, true])
    }

    @Test func `an answer with the whole file ends at the file's end, if that is known`() {
        var answer = SegmentAnswer(announcedEnd: 10)
        answer.noteWhole(total: nil, isOpenEnded: true)
        #expect(answer == SegmentAnswer(announcedEnd: nil, isFromZero: true, isOpenEnded: true))
    }
}
