import PawlCore
import Testing

@Suite struct TokenBucketTests {
    @Test(
        "Over ten seconds the rate is kept within one percent",
        arguments: [
            (1000, 100), (50_000, 1448), (1_000_000, 16_384), (1_000_000, 262_144), (200_000_000, 1_048_576),
        ] as [(Int64, Int)]
    )
    func accuracy(_ rate: Int64, _ chunk: Int) {
        var bucket = TokenBucket(bytesPerSecond: rate, now: .zero)
        var now = Instant.zero
        // What may pass at once at the beginning is looked at elsewhere.
        now = now + bucket.take(Int(rate / 10), at: now)
        let start = now
        var taken: Int64 = 0
        while now - start < .seconds(10) {
            taken += Int64(chunk)
            now = now + bucket.take(chunk, at: now)
        }
        let actual = Double(taken) / (now - start).inSeconds
        #expect(abs(actual - Double(rate)) <= 0.01 * Double(rate))
    }

    @Test("However long nothing was taken, a tenth of a second's worth passes at once and no more")
    func burst() {
        var bucket = TokenBucket(bytesPerSecond: 100_000, now: .zero)
        for idle in [Duration.zero, .milliseconds(50), .seconds(1), .seconds(86_400)] {
            let now = Instant.zero + .seconds(100_000) + idle
            #expect(bucket.take(10_000, at: now) == .zero)
            #expect(bucket.take(1, at: now) > .zero)
            // Pays the debt back, so that the next round begins with an empty bucket.
            bucket = TokenBucket(bytesPerSecond: 100_000, now: now)
        }
    }

    @Test("A large read is waited for as long as it is worth")
    func debt() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(5100, at: .zero) == .seconds(5))
        #expect(bucket.take(0, at: .zero + .seconds(2)) == .seconds(3))
        #expect(bucket.take(0, at: .zero + .seconds(5)) == .zero)
    }

    @Test("A clock that stands still or steps back gives nothing away")
    func clock() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero + .seconds(10))
        #expect(bucket.take(100, at: .zero + .seconds(10)) == .zero)
        #expect(bucket.take(1000, at: .zero) == .seconds(1))
        #expect(bucket.take(0, at: .zero + .seconds(10)) == .seconds(1))
    }
}
