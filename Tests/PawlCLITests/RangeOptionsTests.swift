import Pawl
import PawlCore
import Testing

@testable import PawlCLI

@Suite struct RangeOptionsTests {
    private static func request(_ words: [String]) throws -> DownloadRequest {
        let options = try RangeOptions.parse(words)
        var request = DownloadRequest("https://example.org/a")
        try options.apply(to: &request)
        return request
    }

    @Test func `ranges are put into the request`() throws {
        let request = try Self.request(["--range", "500-599,-10", "--sparse"])
        #expect(request.ranges == (try RangeSelection(parsing: "500-599,-10")))
        #expect(request.isSparse)
        #expect(try Self.request(["--range", "-500"]).ranges == (try RangeSelection(parsing: "-500")))
        #expect(try Self.request([]).ranges == nil)
    }

    @Test(arguments: [["--range", "5-4"], ["--range", ""], ["--range", "x"], ["--sparse"]])
    func `bad ranges say what is accepted`(words: [String]) {
        let error = #expect(throws: UsageError.self) { try Self.request(words) }
        #expect(error?.message.contains("--range") == true)
    }

    @Test func `limits are put into the request and into the configuration`() throws {
        let options = try LimitOptions.parse(["--max-speed", "1MB", "--limit", "08:00,512k 19:00,off"])
        var request = DownloadRequest("https://example.org/a")
        try options.apply(to: &request)
        #expect(request.maximumBytesPerSecond == 1_000_000)
        var configuration = Downloader.Configuration()
        try options.apply(to: &configuration)
        #expect(configuration.speedLimit == (try SpeedSchedule(parsing: "08:00,512k 19:00,off")))
        let bad = try LimitOptions.parse(["--limit", "25:00,1M"])
        let error = #expect(throws: UsageError.self) { try bad.apply(to: &configuration) }
        #expect(error?.message.hasPrefix("--limit: ") == true)
    }
}
