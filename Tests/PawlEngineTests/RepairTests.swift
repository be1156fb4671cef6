import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Repairs of finished files with wrong pieces, on a simulated machine.
@Suite struct RepairTests {
    private static let pieceLength = 10_000
    private static let size = 95_000

    private static func bench(size: Int = RepairTests.size, seed: UInt64 = 1, digest: Bool = true) throws -> EngineBench
    {
        var bench = try EngineBench(size: size, seed: seed)
        bench.settings.pieceHashes = try pieces(of: bench.bytes)
        bench.settings.expectedSize = Int64(size)
        bench.settings.overlap = 0
        if digest { bench.settings.digest = SimulatedDigests().digest(bench.bytes) }
        return bench
    }

    private static func pieces(of bytes: [UInt8]) throws -> PieceHashes {
        let hashes = stride(from: 0, to: bytes.count, by: pieceLength).compactMap { start in
            SimulatedDigests().digest(Array(bytes[start..<min(start + pieceLength, bytes.count)]))?.bytes
        }
        return try PieceHashes(algorithm: .sha256, pieceLength: Int64(pieceLength), hashes: hashes)
    }

    private static func damaged(_ bytes: [UInt8], at positions: [Int]) -> [UInt8] {
        var bytes = bytes
        for position in positions { bytes[position] ^= 0x40 }
        return bytes
    }

    private static func prepare(_ bench: EngineBench, name: String = "file.bin") throws(DownloadError) -> Repair.Outcome
    {
        let runtime = SimulatedRuntime(seed: 7, now: .zero)
        let network = SimulatedNetwork(bench.origin, runtime: runtime)
        var plan = Plan(settings: bench.settings, directory: EngineBench.directory)
        plan.fileName = name
        let ports = Ports(
            transport: network, storage: bench.storage ?? bench.disk, runtime: runtime, digests: SimulatedDigests())
        return try Repair(plan, ports: ports).prepare()
    }

    private static func finish(_ bench: inout EngineBench) -> EngineBench.Run {
        bench.run { $0 = Repair.plan($0) }
    }

    /// A damaged file and the expected outcome of its repair.
    struct Damage: CustomTestStringConvertible, Sendable {
        let name: String
        let wrongPieces: Int
        let fetched: ClosedRange<Int64>
        let make: @Sendable ([UInt8]) -> [UInt8]

        var testDescription: String { name }

        static let all = [
            Damage(name: "one byte", wrongPieces: 1, fetched: 10_000...10_000) {
                RepairTests.damaged($0, at: [34_567])
            },
            Damage(name: "the first and the last piece", wrongPieces: 2, fetched: 15_000...15_000) {
                RepairTests.damaged($0, at: [0, 94_999])
            },
            Damage(name: "pieces beside each other", wrongPieces: 2, fetched: 20_000...20_000) {
                RepairTests.damaged($0, at: [19_999, 20_000])
            },
            Damage(name: "too short by a byte", wrongPieces: 1, fetched: 5000...5000) { Array($0.dropLast()) },
            Damage(name: "cut in the middle of a piece", wrongPieces: 6, fetched: 55_000...55_000) {
                Array($0.prefix(41_000))
            },
            Damage(name: "empty", wrongPieces: 10, fetched: 95_000...95_000) { _ in [] },
            Damage(name: "too long", wrongPieces: 0, fetched: 0...0) { $0 + [1, 2, 3] },
            Damage(name: "too long and wrong", wrongPieces: 1, fetched: 10_000...10_000) {
                RepairTests.damaged($0, at: [50_000]) + $0
            },
            Damage(name: "all of it", wrongPieces: 10, fetched: 95_000...95_000) { $0.map { ~$0 } },
        ]
    }

    @Test(arguments: Damage.all)
    func `only wrong pieces are fetched again`(_ damage: Damage) throws {
        var bench = try Self.bench()
        bench.install("file.bin", damage.make(bench.bytes))
        guard case .prepared(let check) = try Self.prepare(bench) else {
            Issue.record("nothing was prepared")
            return
        }
        #expect(check.wrongPieces == damage.wrongPieces)
        #expect(check.wrongBytes == damage.fetched.upperBound)
        #expect(bench.contents("file.bin") == damage.make(bench.bytes), "the file was touched")
        let run = Self.finish(&bench)
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(damage.fetched.contains(run.bodyBytes), "\(run.bodyBytes) bytes fetched")
        #expect(bench.disk.openFileCount == 0)
    }

    @Test func `without a digest of the whole file, the piece hashes are sufficient proof`() throws {
        var bench = try Self.bench(digest: false)
        bench.install("file.bin", Self.damaged(bench.bytes, at: [34_567]))
        guard case .prepared = try Self.prepare(bench) else {
            Issue.record("nothing was prepared")
            return
        }
        let run = Self.finish(&bench)
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending))")
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect((10_000...10_000).contains(run.bodyBytes), "\(run.bodyBytes) bytes fetched")
    }

    @Test func `a correct file is left alone, and no file is created beside it`() throws {
        let bench = try Self.bench()
        bench.install("file.bin", bench.bytes)
        guard case .intact(let check) = try Self.prepare(bench) else {
            Issue.record("it is not taken for right")
            return
        }
        #expect(check.isIntact && check.wrongPieces == 0 && check.pieceCount == 10)
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(bench.disk.openFileCount == 0)
    }

    @Test func `correct pieces under a wrong digest of the whole are refused as a mismatch`() throws {
        var bench = try Self.bench()
        bench.install("file.bin", bench.bytes)
        bench.settings.digest = SimulatedDigests().digest([1])
        let error = #expect(throws: DownloadError.self) { try Self.prepare(bench) }
        #expect(error?.code == .digestMismatch)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `an unknown length is derived from the piece hashes`() throws {
        for (bytes, total) in [(95_000, 95_000), (94_999, nil), (100_000, nil), (41_000, nil)] as [(Int, Int64?)] {
            var bench = try Self.bench()
            bench.settings.expectedSize = nil
            let whole = bench.bytes + [UInt8](repeating: 0, count: 10_000)
            bench.install("file.bin", Array(whole.prefix(bytes)))
            switch try Self.prepare(bench) {
            case .intact(let check): #expect(check.total == total && bytes == 95_000)
            case .prepared(let check):
                #expect(check.total == total)
                let run = Self.finish(&bench)
                #expect(run.outcome?.isVerified == true, "\(bytes): \(String(describing: run.ending))")
                #expect(bench.listing == ["file.bin": bench.bytes])
            case .underway: Issue.record("nothing was begun")
            }
        }
    }

    @Test func `a missing file, or a request without piece hashes, cannot be repaired and changes nothing`() throws {
        var bench = try Self.bench()
        var error = #expect(throws: DownloadError.self) { try Self.prepare(bench) }
        #expect(error?.code == .invalidArgument)
        bench.install("file.bin", [1])
        bench.settings.pieceHashes = nil
        error = #expect(throws: DownloadError.self) { try Self.prepare(bench) }
        #expect(error?.code == .invalidArgument)
        #expect(bench.listing == ["file.bin": [1]])
    }

    @Test func `a repair without disk space for the copy fails and keeps nothing of it`() throws {
        var bench = try EngineBench(size: Self.size, capacity: 150_000)
        bench.settings.pieceHashes = try Self.pieces(of: bench.bytes)
        bench.settings.expectedSize = Int64(Self.size)
        let old = Self.damaged(bench.bytes, at: [5])
        bench.install("file.bin", old)
        let error = #expect(throws: DownloadError.self) { try Self.prepare(bench) }
        #expect(error?.code == .diskFull)
        #expect(bench.listing == ["file.bin": old])
        #expect(bench.disk.openFileCount == 0)
    }

    // MARK: Cut off

    @Test(arguments: [true, false])
    func `a repair cut off at any moment leaves the old file or the new one, and the next run completes it`(
        _ byPower: Bool
    ) throws {
        var cuts = 0
        for operations in 0..<1000 {
            var bench = try Self.bench(size: 25_000, seed: UInt64(operations) + 1)
            let old = Self.damaged(bench.bytes, at: [3, 24_567])
            bench.install("file.bin", old)
            bench.disk.stopAfter(operations: operations)
            var ended = false
            if let outcome = try? Self.prepare(bench), case .prepared = outcome {
                ended = Self.finish(&bench).outcome != nil
            }
            if byPower { bench.disk.crash() } else { bench.disk.kill() }
            let left = bench.contents("file.bin")
            #expect(left == old || left == bench.bytes, "after \(operations) operations the file is neither")
            if ended { break }
            cuts += 1
            switch try Self.prepare(bench) {
            case .intact: break
            case .prepared, .underway:
                let run = Self.finish(&bench)
                #expect(
                    run.outcome?.isVerified == true, "after \(operations) operations: \(String(describing: run.ending))"
                )
            }
            #expect(bench.contents("file.bin") == bench.bytes, "after \(operations) operations")
            #expect(bench.names.filter { $0 != "file.bin" && !$0.contains(".orphan") }.isEmpty, "\(bench.names)")
        }
        #expect(cuts > 10, "it was cut off \(cuts) times only")
    }

    @Test func `an earlier repair is resumed without reading the file again`() throws {
        var bench = try Self.bench()
        bench.install("file.bin", Self.damaged(bench.bytes, at: [3, 50_000]))
        guard case .prepared = try Self.prepare(bench) else {
            Issue.record("nothing was prepared")
            return
        }
        guard case .underway = try Self.prepare(bench) else {
            Issue.record("it was begun anew")
            return
        }
        let run = Self.finish(&bench)
        #expect(run.bodyBytes == 20_000)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `a different file on the server fails the repair, and the old file stays`() throws {
        var bench = try Self.bench()
        let old = Self.damaged(bench.bytes, at: [3])
        bench.install("file.bin", old)
        guard case .prepared = try Self.prepare(bench) else {
            Issue.record("nothing was prepared")
            return
        }
        bench.origin.versions = [
            .init(
                bytes: EngineBench.bytes(80_000, 9), entityTag: "\"two\"", lastModified: "Sun, 02 Jan 2022 00:00:00 GMT"
            )
        ]
        let run = Self.finish(&bench)
        #expect(run.outcome == nil)
        #expect(run.errorCode != nil)
        #expect(bench.contents("file.bin") == old)
    }
}
