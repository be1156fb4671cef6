import PawlCore
import Testing

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ] as [(String, Int64)])
    func `all three formats of an HTTP date are parsed`(_ text: String, _ seconds: Int64) throws {
        #expect(try #require(HTTPDate(parsing: text)).secondsSinceEpoch == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 6 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "1994-11-06T08:49:37Z",
    ])
    func `a malformed HTTP date is refused`(_ text: String) {
        #expect(HTTPDate(parsing: text) == nil)
    }

    @Test(
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil, 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 1_790_000_000, 784_111_777),
            ("Saturday, 06-Nov-94 08:49:37 GMT", 2_600_000_000, 3_939_871_777),
            ("Wednesday, 01-Jan-31 00:00:00 GMT", 1_790_000_000, 1_924_992_000),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_598_400, 946_684_800),
        ] as [(String, Int64?, Int64)])
    func `a two-digit year lies at most 50 years in the future`(_ text: String, _ now: Int64?, _ seconds: Int64) {
        #expect(HTTPDate(parsing: text, now: now)?.secondsSinceEpoch == seconds)
    }

    @Test func `dates survive writing and parsing on every fifth day of 800 years`() {
        for day in stride(from: Int64(-135_140), to: 157_054, by: 5) {
            let date = HTTPDate(secondsSinceEpoch: day * 86400 + 45_296)
            #expect(HTTPDate(parsing: date.imfFixdate) == date)
        }
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
    func `writing an HTTP date never traps`(_ seconds: Int64, _ expected: String) {
        #expect(HTTPDate(secondsSinceEpoch: seconds).imfFixdate == expected)
    }

    @Test func `dates are ordered by time`() {
        #expect(HTTPDate(secondsSinceEpoch: 1) < HTTPDate(secondsSinceEpoch: 2))
    }

    @Test func `no text makes the parser trap, and every parsed date survives writing and parsing`() {
        let seeds = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        for text in ParserFuzz(seeds: seeds) {
            for now in [nil, Int64.min, 0, Int64.max] {
                guard let date = HTTPDate(parsing: text, now: now) else { continue }
                #expect(HTTPDate(parsing: date.imfFixdate) == date)
            }
        }
    }
}

@Suite struct ISO8601Tests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1994-11-06T08:49:37Z", 784_111_777), ("1994-11-06T08:49:37.123Z", 784_111_777),
        ("1994-11-06T09:49:37+01:00", 784_111_777), ("1994-11-06T03:19:37.5-05:30", 784_111_777),
        ("1994-11-06T08:49:37+00:00", 784_111_777),
    ])
    func `times of RFC 3339 are read`(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate(rfc3339: text)?.secondsSinceEpoch == seconds)
    }

    @Test(arguments: [
        "", "1994-11-06", "1994-11-06T08:49:37", "1994-11-06 08:49:37Z", "1994-02-30T08:49:37Z", "1994-11-06T24:00:00Z",
        "1994-11-06T08:49:37.Z", "1994-11-06T08:49:37+1:00", "1994-11-06T08:49:37+01:00x", "1994-13-06T08:49:37Z",
    ])
    func `what is no time of RFC 3339 is refused`(_ text: String) {
        #expect(HTTPDate(rfc3339: text) == nil)
    }

    @Test
    func `times are written in both formats`() {
        let date = HTTPDate(secondsSinceEpoch: 784_111_777)
        #expect(date.rfc3339 == "1994-11-06T08:49:37Z")
        #expect(date.basicISO8601 == "19941106T084937Z")
    }
}
