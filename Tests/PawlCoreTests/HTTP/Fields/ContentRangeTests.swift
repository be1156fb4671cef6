import PawlCore
import Testing

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0, 1, 1), ("bytes 100-199/200", 100, 200, 200), ("BYTES 0-9/*", 0, 10, nil),
            (" bytes 0-9/10 ", 0, 10, 10),
            ("bytes 007-8/0010", 7, 9, 10),
            ("bytes 0-9223372036854775806/9223372036854775807", 0, Int64.max, Int64.max),
        ] as [(String, Int64, Int64, Int64?)])
    func `a well-formed Content-Range becomes a half-open range`(
        _ value: String, _ start: Int64, _ end: Int64, _ total: Int64?
    ) throws {
        let range = try #require(ByteRange(start: start, end: end))
        #expect(try ContentRange(parsing: value) == .range(range, total: total))
    }

    @Test(
        arguments: [
            ("bytes */0", 0), ("bytes */1234", 1234), ("bytes */*", nil),
        ] as [(String, Int64?)])
    func `a Content-Range for an unsatisfied range gives the length`(_ value: String, _ total: Int64?) throws {
        #expect(try ContentRange(parsing: value) == .unsatisfied(total: total))
    }

    @Test(arguments: [
        ("", ContentRangeError.missingUnit), ("100-199/200", .missingUnit), ("100-199", .missingUnit),
        ("*/200", .missingUnit),
        ("items 0-1/2", .otherUnit("items")), ("byte 0-1/2", .otherUnit("byte")),
        ("bytes", .malformed), ("bytes=100-199/200", .malformed), ("bytes: 0-1/2", .malformed),
        ("bytes\t0-1/2", .malformed),
        ("bytes  0-1/2", .malformed), ("bytes 0-1", .malformed), ("bytes 0-1/", .malformed), ("bytes 0/2", .malformed),
        ("bytes -1/2", .malformed), ("bytes 0-/2", .malformed), ("bytes -1-1/2", .malformed),
        ("bytes +0-1/2", .malformed),
        ("bytes 0-1/-2", .malformed), ("bytes 0 - 1/2", .malformed), ("bytes 0-1/ 2", .malformed),
        ("bytes 0x0-1/2", .malformed),
        ("bytes 0-1/2, bytes 0-1/2", .malformed), ("bytes 0-1/2/3", .malformed), ("bytes ٠-١/٢", .malformed),
        ("bytes **/2", .malformed),
        ("bytes 0-9223372036854775807/*", .overflow), ("bytes 0-9223372036854775808/*", .overflow),
        ("bytes 0-1/9223372036854775808", .overflow), ("bytes */18446744073709551617", .overflow),
        ("bytes 2-1/3", .inconsistent), ("bytes 0-9/9", .inconsistent), ("bytes 0-9/5", .inconsistent),
        ("bytes 0-0/0", .inconsistent),
    ])
    func `R12 a malformed Content-Range is refused`(_ value: String, _ expected: ContentRangeError) {
        #expect(throws: expected) { try ContentRange(parsing: value) }
    }

    @Test func `no text makes the parser trap or gives a range that is empty or extends past its total`() {
        for text in ParserFuzz(seeds: [
            "bytes 0-99/100", "bytes */100", "bytes 9223372036854775800-9223372036854775806/*",
        ]) {
            guard case .range(let range, let total)? = try? ContentRange(parsing: text) else { continue }
            #expect(!range.isEmpty)
            #expect(total.map { range.end <= $0 } ?? true)
        }
    }
}

@Suite struct ContentLengthTests {
    @Test(arguments: [
        ([], ContentLength.absent), (["0"], .valid(0)), (["5"], .valid(5)), ([" 5 "], .valid(5)), (["5, 5"], .valid(5)),
        (["5", "5"], .valid(5)), (["5,5", "05"], .valid(5)), (["9223372036854775807"], .valid(.max)),
    ])
    func `L03 Content-Length values that agree are one length`(_ values: [String], _ expected: ContentLength) {
        #expect(ContentLength(fieldValues: values) == expected)
    }

    @Test(arguments: [
        [""], ["-1"], ["+5"], ["5, 6"], ["5", "6"], ["0x5"], ["5 5"], ["5,"], [",5"], ["5", ""], ["5.0"], ["5;"], ["９"],
        ["9223372036854775808"], ["18446744073709551617"],
    ])
    func `L03 Content-Length values that differ or are malformed are invalid`(_ values: [String]) {
        #expect(ContentLength(fieldValues: values) == .invalid)
    }

    @Test func `no text makes the parser trap or gives a negative length`() {
        for text in ParserFuzz(seeds: ["1234", "5, 5", "9223372036854775807"]) {
            if case .valid(let length) = ContentLength(fieldValues: [text, text]) { #expect(length >= 0) }
        }
    }
}
