import Pawl
import PawlCore
import Testing

@testable import PawlCLI

@Suite struct RangeOptionsTests {
    private func resolve(_ words: String...) throws -> ResolvedGet {
        try ResolvedGet.of(["https://example.org/a"] + words)
    }

    @Test func `ranges are put into the request`() throws {
        let request = try #require(try resolve("--range", "500-599,-10", "--sparse").downloads.first).request
        #expect(request.ranges == (try RangeSelection(parsing: "500-599,-10")))
        #expect(request.isSparse)
        #expect(try resolve("--range", "-500").downloads.first?.request.ranges == (try RangeSelection(parsing: "-500")))
        #expect(try resolve().downloads.first?.request.ranges == nil)
    }

    @Test(arguments: [["--range", "5-4"], ["--range", ""], ["--range", "x"], ["--sparse"]])
    func `an invalid range is an error that names --range`(words: [String]) {
        let error = #expect(throws: UsageError.self) { try ResolvedGet.of(["https://example.org/a"] + words) }
        #expect(error?.message.contains("--range") == true)
    }

    @Test func `speed limits are put into the request and the configuration`() throws {
        let get = try resolve("--max-speed", "1MB", "--limit", "08:00,512k 19:00,off")
        #expect(get.downloads.first?.request.maximumBytesPerSecond == 1_000_000)
        #expect(get.configuration.speedLimit == (try SpeedSchedule(parsing: "08:00,512k 19:00,off")))
        let error = #expect(throws: UsageError.self) { try resolve("--limit", "25:00,1M") }
        #expect(error?.message.hasPrefix("--limit takes ") == true)
    }

    @Test func `a stream on stdout is refused with --json, a directory, several files or members`() throws {
        #expect(try resolve("-o", "-").streamsToOutput)
        #expect(try !resolve("-o", "./-").streamsToOutput)
        #expect(throws: UsageError.self) { try resolve("-o", "-", "--json") }
        for (words, reason) in [
            (["https://example.org/b"], "but 2 are given"),
            (["--metalink", "a.meta4"], "a Metalink names its own files"),
        ] {
            let error = #expect(throws: UsageError.self) {
                try ResolvedGet.of(["https://example.org/a", "-o", "-"] + words)
            }
            #expect(error?.message.contains(reason) == true)
        }
        #expect(throws: UsageError.self) { try resolve("-o", "-", "-d", "x") }
        let member = #expect(throws: UsageError.self) { try resolve("-o", "-", "--member", "x") }
        #expect(member?.message.contains("--member") == true)
    }
}
