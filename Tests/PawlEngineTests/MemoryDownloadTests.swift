import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("Downloads into memory, simulated")
struct MemoryDownloadTests {
    /// Runs a download into memory. Returns the run, and the bytes under the file's name and under that of its partial
    /// file.
    private static func fetch(
        _ bench: inout EngineBench, maximumSize: Int = 1 << 20
    ) throws -> (run: EngineBench.Run, bytes: [UInt8]?, partial: [UInt8]?) {
        let memory = TransientStorage { MemoryContent(maximumSize: maximumSize) }
        bench.storage = memory
        let run = bench.run()
        return (run, try memory.bytes(of: "file.bin"), try memory.bytes(of: "file.bin.part"))
    }

    @Test(arguments: 0..<24)
    func `a file is complete in memory after broken connections and short answers`(seed: Int) throws {
        var bench = try EngineBench(size: 300_000, seed: UInt64(seed) + 1)
        bench.settings.maximumConnections = 1 + seed % 3
        bench.origin.diesMidBody = 0.4
        bench.origin.answersShort = seed % 3 == 0 ? 0.3 : 0
        bench.origin.sendsLength = seed % 4 != 1
        bench.origin.validator = seed % 5 == 0 ? .none : .strong
        bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        let (run, bytes, _) = try Self.fetch(&bench)
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bytes == bench.bytes)
    }

    @Test func `a file replaced during the download is fetched anew, and bytes of the two versions never mix`() throws {
        var bench = try EngineBench(size: 600_000)
        let second = EngineBench.bytes(500_000, 9)
        bench.origin.bytesPerSecond = 100_000
        bench.origin.versions.append(
            .init(bytes: second, entityTag: "\"two\"", lastModified: "Sun, 01 Jan 2023 00:00:00 GMT"))
        bench.origin.replacedAt = .zero + .seconds(3)
        bench.origin.diesMidBody = 1
        bench.settings.onChange = .restart
        let (run, bytes, _) = try Self.fetch(&bench)
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bytes == second)
    }

    @Test(arguments: [true, false])
    func `a file above the size limit fails, and no more than the limit is held in memory`(sendsLength: Bool) throws {
        var bench = try EngineBench(size: 2_000_000)
        bench.origin.sendsLength = sendsLength
        bench.settings.maximumFileSize = 100_000
        let (run, bytes, partial) = try Self.fetch(&bench)
        #expect(run.errorCode == .tooLarge)
        #expect(bytes == nil)
        #expect((partial ?? []).count <= 100_001)
    }

    @Test func `the selected parts of a file are packed together in memory`() throws {
        var bench = try EngineBench(size: 100_000)
        bench.settings.ranges = try RangeSelection(parsing: "50000-59999,1000-1999,-10")
        let (run, bytes, _) = try Self.fetch(&bench)
        #expect(run.outcome?.isComplete == true)
        #expect(bytes == Array(bench.bytes[50_000..<60_000] + bench.bytes[1000..<2000] + bench.bytes.suffix(10)))
    }

    @Test func `a write far beyond the size limit is an error and takes no memory`() throws {
        let content = MemoryContent(maximumSize: 10)
        try content.write([1, 2], at: 8)
        for offset: Int64 in [9, 10, 5 << 30, .max - 1] {
            #expect(throws: StorageError.self) { try content.write([1, 2], at: offset) }
        }
        #expect(try content.read(100, at: 0) == [0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
    }

    @Test func `a file that is cut to its length ends there in memory, too`() throws {
        let memory = TransientStorage { MemoryContent(maximumSize: 10) }
        let file = try memory.openDirectory(".").create("f")
        try file.write([1, 2, 3], at: 0)
        try file.truncate(to: 2)
        #expect(try memory.bytes(of: "f") == [1, 2])
    }
}
