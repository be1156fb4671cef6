import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("Downloads into memory, simulated")
struct MemoryDownloadTests {
    /// The run, and the bytes that it left under the file's name.
    private static func fetch(_ bench: inout EngineBench) -> (run: EngineBench.Run, bytes: [UInt8]?) {
        let memory = TransientStorage { MemoryContent() }
        bench.storage = memory
        let run = bench.run()
        return (run, (memory.content(of: "file.bin") as? MemoryContent)?.bytes)
    }

    @Test("A file is whole in memory after broken connections and short answers, and nothing of it is on the disk", arguments: 0..<24)
    func faults(seed: Int) throws {
        var bench = try EngineBench(size: 300_000, seed: UInt64(seed) + 1)
        bench.settings.maximumConnections = 1 + seed % 3
        bench.origin.diesMidBody = 0.4
        bench.origin.answersShort = seed % 3 == 0 ? 0.3 : 0
        bench.origin.sendsLength = seed % 4 != 1
        bench.origin.validator = seed % 5 == 0 ? .none : .strong
        bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        let (run, bytes) = Self.fetch(&bench)
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bytes == bench.bytes)
        #expect(bench.names.isEmpty)
    }

    @Test("A file replaced during the download is fetched anew, and its bytes never mix")
    func replaced() throws {
        var bench = try EngineBench(size: 600_000)
        let second = EngineBench.bytes(500_000, 9)
        bench.origin.bytesPerSecond = 100_000
        bench.origin.versions.append(.init(bytes: second, entityTag: "\"two\"", lastModified: "Sun, 01 Jan 2023 00:00:00 GMT"))
        bench.origin.replacedAt = .zero + .seconds(3)
        bench.origin.diesMidBody = 1
        bench.settings.onChange = .restart
        let (run, bytes) = Self.fetch(&bench)
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bytes == second)
    }

    @Test("A file above the largest size fails and is never held in memory", arguments: [true, false])
    func tooLarge(sendsLength: Bool) throws {
        var bench = try EngineBench(size: 2_000_000)
        bench.origin.sendsLength = sendsLength
        bench.settings.maximumFileSize = 100_000
        let (run, bytes) = Self.fetch(&bench)
        #expect(run.errorCode == .tooLarge)
        #expect(bytes == nil)
    }

    @Test("Parts of a file stand one behind the other in memory")
    func parts() throws {
        var bench = try EngineBench(size: 100_000)
        bench.settings.ranges = try RangeSelection(parsing: "50000-59999,1000-1999,-10")
        let (run, bytes) = Self.fetch(&bench)
        #expect(run.outcome?.isComplete == true)
        #expect(bytes == Array(bench.bytes[50_000..<60_000] + bench.bytes[1000..<2000] + bench.bytes.suffix(10)))
    }
}
