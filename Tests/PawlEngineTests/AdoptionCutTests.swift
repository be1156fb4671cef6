import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// `--adopt`, cut off at each call on the disk, and on file systems that report less.
@Suite struct `B6 Interrupted adoption` {
    private static let size = 60_000
    private static let held = 25_000

    private func bench(_ name: String, _ seed: UInt64) throws -> EngineBench {
        var bench = try EngineBench(size: Self.size, seed: seed)
        bench.settings.maximumConnections = 2
        // Slow enough for unsynced records and a checkpoint.
        bench.origin.bytesPerSecond = 8000
        bench.install(name, Array(bench.bytes[..<Self.held]))
        return bench
    }

    /// The earlier bytes stay readable under one name or another until the file is complete.
    private func expectKept(_ bench: EngineBench, _ moment: String) {
        let isKept = bench.names.contains { bench.contents($0)?.starts(with: bench.bytes[..<Self.held]) ?? false }
        #expect(isKept, "\(moment): \(bench.names)")
    }

    @Test(arguments: ["file.bin", "file.bin.part"], [true, false])
    func `D26 J13 adoption cut off at any call keeps the adopted bytes, and the next run completes`(
        _ name: String, _ isPowerCut: Bool
    ) throws {
        for operation in 0..<500 {
            let moment = "\(name), call \(operation)"
            var bench = try bench(name, UInt64(operation))
            bench.disk.stopAfter(operations: operation)
            let first = bench.run { $0.adoptsPartialFile = true }
            if first.outcome != nil {
                #expect(operation > 10)
                return
            }
            if isPowerCut { bench.disk.crash() } else { bench.disk.kill() }
            expectKept(bench, moment)
            let wasWhole = bench.contents("file.bin") == bench.bytes
            let second = bench.run { $0.adoptsPartialFile = true }
            if second.outcome == nil {
                // A marked partial file that lost its journal in a power cut is left to its owner.
                let isLeft = isPowerCut && second.errorCode == .journal
                #expect(isLeft || wasWhole, "\(moment): \(second.ending.map { "\($0.phase)" } ?? "no end")")
                expectKept(bench, moment)
            } else {
                #expect(bench.contents("file.bin") == bench.bytes, "\(moment)")
            }
        }
        Issue.record("it never came to its end")
    }

    /// The first run adopts the file and is cut off, and the second finds another file at the server.
    @Test(arguments: ["file.bin", "file.bin.part"], [true, false])
    func `D30 bytes that an earlier run adopted are set aside as the user's, and nothing may remove them`(
        _ name: String, _ isPowerCut: Bool
    ) throws {
        var tried = 0
        for limit in [Duration.seconds(4), .milliseconds(5200), .seconds(8)] {
            var bench = try bench(name, 3)
            bench.origin.bytesPerSecond = 4000
            let held = bench.bytes[..<Self.held]
            #expect(bench.run(limit: limit) { $0.adoptsPartialFile = true }.ending == nil)
            // Until the server has been heard, the file stands under its own name, and is to be replaced.
            guard bench.disk.items(in: EngineBench.directory).contains(where: { $0.name == "file.bin.part" }) else {
                continue
            }
            if isPowerCut { bench.disk.crash() } else { bench.disk.kill() }
            bench.origin.versions = [
                .init(bytes: EngineBench.bytes(Self.size, 9), entityTag: "\"nine\"", lastModified: "")
            ]
            #expect(bench.run { $0.ifExists = .replace }.outcome?.isComplete == true)
            let items = bench.disk.items(in: EngineBench.directory)
            let kept = items.filter { $0.bytes.starts(with: held) }
            // A power cut in the first moments leaves the file under its own name, which was to be replaced.
            guard !(isPowerCut && kept.isEmpty && name == "file.bin") else { continue }
            #expect(kept.count == 1 && kept.allSatisfy { !$0.isSetAside }, "\(items.map(\.name))")
            tried += 1
        }
        #expect(tried > 0 || isPowerCut)
    }

    @Test func `D30 an adopted file is not removed with its download`() throws {
        let bench = try bench("file.bin.part", 3)
        try bench.installJournal(durable: RangeSet(ByteRange(0..<Int64(Self.held)))) { $0.adopted = Int64(Self.held) }
        let directory = try bench.disk.openDirectory(EngineBench.directory)
        #expect(try !FileRemoval.removePartial("file.bin", in: directory, isOurs: { _ in true }))
        #expect(bench.names == ["file.bin.part", "file.bin.pawl"])
    }

    @Test func `D26 a sparse file is refused for adoption without a digest, and resumed with one`() throws {
        var bench = try EngineBench()
        bench.install("file.bin", [])
        // Bytes written behind the disk's back take no space, as in a compressed file.
        bench.disk.overwrite(EngineBench.target, at: 0, with: Array(bench.bytes[..<60_000]))
        let before = bench.listing
        let refused = bench.run { $0.adoptsPartialFile = true }
        #expect(refused.errorCode == .journal)
        #expect(refused.requests.isEmpty)
        #expect(bench.listing == before)
        bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        let continued = bench.run { $0.adoptsPartialFile = true }
        #expect(continued.outcome?.isVerified == true)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }
}
