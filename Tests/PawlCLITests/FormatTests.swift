import PawlCore
import PawlJobs
import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct FormatTests {
    @Test(
        arguments: [
            (0, "0 B"), (-1, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (10_234, "9.99 KiB"), (10_239, "10.0 KiB"),
            (102_400, "100 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1.00 MiB"), (1_048_576, "1.00 MiB"),
            (1_567_890_123, "1.46 GiB"), (Int64.max, "8.00 EiB"),
        ] as [(Int64, String)])
    func `byte counts are shown in binary units and fit their column`(count: Int64, text: String) {
        #expect(ByteCount.text(count) == text)
        #expect(text.count <= ByteCount.width)
    }

    @Test(
        arguments: [
            (12, "12 bytes"), (1024, "1.00 KiB (1,024 bytes)"), (1_567_890_123, "1.46 GiB (1,567,890,123 bytes)"),
        ] as [(Int64, String)])
    func `an exact byte count shows all digits beside the rounded size`(count: Int64, text: String) {
        #expect(ByteCount.exactText(count) == text)
    }

    @Test(
        arguments: [
            (0, "0 B/s"), (1.4, "1 B/s"), (50_646_220, "48.3 MiB/s"), (.infinity, "8.00 EiB/s"), (-.infinity, "0 B/s"),
            (.nan, "0 B/s"),
        ] as [(Double, String)])
    func `rates are shown in binary units per second, even infinite, negative or undefined ones`(
        rate: Double, text: String
    ) {
        #expect(Rate.text(rate) == text)
    }

    @Test(
        arguments: [
            (-3, "0 s"), (0, "0 s"), (0.2, "1 s"), (59, "59 s"), (60, "1:00"), (185, "3:05"), (3599, "59:59"),
            (3723, "1:02:03"), (86_399, "23:59:59"), (86_400, "1 d 0 h"), (183_600, "2 d 3 h"),
            (8_639_999, "99 d 23 h"),
            (8_640_000, "over 99 d"), (.infinity, "over 99 d"), (.nan, "0 s"),
        ] as [(Double, String)])
    func `spans of time are shown in seconds, minutes, hours or days, and fit their column`(
        seconds: Double, text: String
    ) {
        #expect(TimeSpan.text(seconds) == text)
        #expect(text.count <= TimeSpan.width)
    }

    @Test(arguments: [
        (0, "1 ms"), (8, "8 ms"), (999, "999 ms"), (1000, "1.0 s"), (1250, "1.3 s"), (9940, "9.9 s"), (9950, "10 s"),
        (62_400, "1:02"),
    ])
    func `elapsed times are shown in milliseconds below one second, and in tenths of a second below ten`(
        milliseconds: Int, text: String
    ) {
        #expect(TimeSpan.elapsedText(.milliseconds(milliseconds)) == text)
    }

    @Test(
        arguments: [
            (0, 100, 0), (1, 3, 33), (999, 1000, 99), (Int64.max - 1, Int64.max, 99), (5, 5, 100), (0, 0, 100),
            (6, 5, 100),
        ] as [(Int64, Int64, Int)])
    func `percentages are rounded down, so that only a complete file has 100 percent`(
        part: Int64, total: Int64, percent: Int
    ) {
        #expect(Percentage.of(part, total) == percent)
    }

    @Test(
        arguments: [
            ("1", 1), ("500", 500), ("500k", 512_000), ("500K", 512_000), ("2M", 2 << 20), ("2m", 2 << 20),
            ("1G", 1 << 30),
            ("1g", 1 << 30), ("8589934591G", 8_589_934_591 << 30), ("1kB", 1000), ("1.5M", 1_572_864),
        ] as [(String, Int64)])
    func `a speed limit is parsed with its unit`(text: String, limit: Int64) throws {
        #expect(try OptionText.rate(text) == limit)
    }

    @Test(arguments: [
        "", "k", "0", "0k", "-5", "+5", "-5k", "1.5", "1 k", " 1", "1kb", "0x10", "٣", "8589934592G",
        "9223372036854775808", "fast",
    ])
    func `an invalid speed limit is refused with examples of valid ones`(text: String) {
        let error = #expect(throws: OptionValueProblem.self) { try OptionText.rate(text) }
        #expect(error?.accepted.contains("500k, 2MB") == true)
    }

    @Test(arguments: [
        (["pawl", "get", "https://example.org/a"], "pawl get https://example.org/a"),
        (["a b", "", "it's"], "'a b' '' 'it'\\''s'"), (["$HOME", "*", "é"], "'$HOME' '*' 'é'"),
    ])
    func `words are quoted for the shell where necessary`(words: [String], text: String) {
        #expect(ShellWords.join(words) == text)
    }

    @Test func `a command that contains control characters is not shown`() {
        #expect(ShellWords.join(["pawl", "a\u{1B}[2Jb"]) == nil)
    }
}
