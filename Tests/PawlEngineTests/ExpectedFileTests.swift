import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// A member of a remote archive is fetched on the condition that the archive is still the one whose directory was read.
@Suite("Further parts of a file seen earlier, simulated")
struct ExpectedFileTests {
    private static let range = ByteRange(10_000..<20_000)

    private static func bench() throws -> EngineBench {
        var bench = try EngineBench()
        bench.settings.ranges = try RangeSelection([range])
        bench.settings.onChange = .fail
        return bench
    }

    private static func seen(_ bench: EngineBench, tag: String = "\"one\"") -> Representation {
        Representation(
            total: Int64(bench.bytes.count), entityTag: EntityTag(parsing: tag),
            lastModified: "Sat, 01 Jan 2022 00:00:00 GMT",
            date: "Sat, 01 Jan 2022 01:00:00 GMT")
    }

    @Test func `the first request names the expected file, and its parts are fetched`() throws {
        var bench = try Self.bench()
        bench.settings.expected = Self.seen(bench)
        let run = bench.run()
        #expect(run.requests.first?.fields.first("if-range") == "\"one\"")
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == Array(bench.bytes[10_000..<20_000]))
        #expect(run.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func
        `a file other than the expected one is detected before a byte is stored, whether the server honours If-Range or not`(
            honoursIfRange: Bool
        ) throws
    {
        var bench = try Self.bench()
        bench.origin.honoursIfRange = honoursIfRange
        bench.settings.expected = Self.seen(bench, tag: "\"zero\"")
        let run = bench.run()
        #expect(run.errorCode == .changed)
        #expect(bench.names.isEmpty)
        #expect(run.bodyBytes < 200_000)
    }

    @Test func `a different length means another file, whatever the validator`() throws {
        var bench = try Self.bench()
        var seen = Self.seen(bench)
        seen.total = 90_000
        bench.settings.expected = seen
        #expect(bench.run().errorCode == .changed)
        #expect(bench.names.isEmpty)
    }

    @Test(arguments: ["\"one\"", "\"two\""])
    func `a partial file of another file is dropped, and one of the expected file is resumed`(tag: String) throws {
        var bench = try Self.bench()
        bench.settings.expected = Self.seen(bench)
        bench.origin.bytesPerSecond = 2000
        bench.origin.chunk = 1000
        bench.settings.maximumConnections = 1
        _ = bench.run(during: { driver, runtime in runtime.after(.seconds(3)) { driver.pause() } })
        #expect(bench.names == ["file.bin.part", "file.bin.pawl"])
        if tag == "\"two\"" {
            bench.origin.versions = [
                .init(
                    bytes: EngineBench.bytes(100_000, 7), entityTag: tag, lastModified: "Sun, 02 Jan 2022 00:00:00 GMT")
            ]
            bench.settings.expected = Self.seen(bench, tag: tag)
            bench.settings.expected?.lastModified = "Sun, 02 Jan 2022 00:00:00 GMT"
        }
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == Array(bench.bytes[10_000..<20_000]))
        #expect(bench.names == ["file.bin"])
        #expect(tag == "\"one\"" ? run.bodyBytes < 10_000 : run.bodyBytes >= 10_000)
    }

    @Test(arguments: [1, 4])
    func `without any validator, several parts are still fetched if the caller checks them`(connections: Int) throws {
        var bench = try Self.bench()
        bench.origin.validator = .none
        bench.settings.isCheckedByCaller = true
        bench.settings.maximumConnections = connections
        bench.settings.ranges = try RangeSelection([Self.range, ByteRange(40_000..<70_000)])
        bench.settings.expected = Representation(total: Int64(bench.bytes.count))
        let run = bench.run()
        #expect(run.outcome?.isComplete == true && run.outcome?.isVerified == false)
        #expect(bench.contents("file.bin") == Array(bench.bytes[10_000..<20_000] + bench.bytes[40_000..<70_000]))
        #expect(run.requests.allSatisfy { $0.fields.first("if-range") == nil })
    }

    @Test(arguments: [true, false])
    func `a whole answer instead of the requested parts is recognised, and an unwanted or too long one is not read`(
        readsWhole: Bool
    ) throws {
        var bench = try EngineBench(size: 1)
        bench.origin.versions[0].bytes = [UInt8](repeating: 7, count: readsWhole ? 18 << 20 : 1 << 20)
        bench.settings.ranges = try RangeSelection([.last(65_536)])
        bench.settings.readsWhole = readsWhole
        bench.settings.expected = Self.seen(bench)
        bench.origin.ranges = .ignored
        let run = bench.run()
        #expect(run.errorCode == .rangesNotSupported)
        #expect(run.bodyBytes < 1 << 20)
        #expect(bench.names.isEmpty)
    }

    @Test(arguments: [1, 8])
    func `requests of a limited length fetch no byte twice, with any number of connections`(connections: Int) throws {
        var bench = try EngineBench(size: 1 << 20)
        bench.settings.ranges = try RangeSelection([ByteRange(10_000..<600_000), ByteRange(700_000..<1_000_000)])
        bench.settings.maximumConnections = connections
        bench.origin.bytesPerSecond = 50_000
        bench.settings.maximumRequestLength = 65_536
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == Array(bench.bytes[10_000..<600_000] + bench.bytes[700_000..<1_000_000]))
        #expect(run.bodyBytes == 890_000)
        #expect(run.maximumOpen == (connections == 1 ? 1 : 8))
        let lengths = run.requests.compactMap { request in
            request.fields.first("range").flatMap { try? RangeSelection(parsing: $0).withoutTotal?.count }
        }
        #expect(lengths.max() == 65_536 && lengths.count == run.requests.count)
    }
}
