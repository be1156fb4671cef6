import PawlCore
import Testing

@Suite struct RetryAfterTests {
    @Test(arguments: [
        ("0", Duration.zero), ("120", .seconds(120)), (" 120 ", .seconds(120)), ("2147483648", RetryAfter.maximumDelay),
        ("9223372036854775807", RetryAfter.maximumDelay), ("99999999999999999999999", RetryAfter.maximumDelay),
    ])
    func `a Retry-After in seconds is a delay`(_ value: String, _ expected: Duration) {
        #expect(RetryAfter(parsing: value) == .delay(expected))
        #expect(RetryAfter(parsing: value)?.delay(wallClock: 0) == expected)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "0x10", "1 2", "soon", "1, 2", "Sun, 06 Nov"])
    func `a Retry-After that is neither seconds nor a date is refused`(_ value: String) {
        #expect(RetryAfter(parsing: value) == nil)
    }

    @Test(arguments: [
        (784_111_777 - 60, Duration.seconds(60)), (784_111_777, .zero), (784_111_778, .zero), (Int64.max, .zero),
        (Int64.min, RetryAfter.maximumDelay),
    ])
    func `a Retry-After date is a delay from now`(_ now: Int64, _ expected: Duration) throws {
        let value = try #require(RetryAfter(parsing: "Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(value == .date(HTTPDate(secondsSinceEpoch: 784_111_777)))
        #expect(value.delay(wallClock: now) == expected)
    }

    @Test func `a negative delay counts as zero`() {
        #expect(RetryAfter.delay(.seconds(-5)).delay(wallClock: 0) == .zero)
    }

    @Test func `no text makes the parser trap or gives a delay below zero or above the maximum`() {
        for text in ParserFuzz(seeds: ["120", "Sun, 06 Nov 1994 08:49:37 GMT"]) {
            guard let value = RetryAfter(parsing: text) else { continue }
            for now in [Int64.min, 0, Int64.max] {
                #expect((Duration.zero...RetryAfter.maximumDelay).contains(value.delay(wallClock: now)))
            }
        }
    }
}
