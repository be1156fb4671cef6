import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Two downloads of one process whose names the disk takes for one.
@Suite("Names that a disk takes for one")
struct FoldedNameTests {
    private static let spellings = [
        (SimulatedDisk.NameFolding.caseAndForms, "A.bin", "a.bin"), (.forms, "\u{e9}.bin", "e\u{301}.bin"),
    ]

    private func bench(_ folding: SimulatedDisk.NameFolding) throws -> EngineBench {
        var bench = try EngineBench(size: 5000)
        bench.disk.features.folding = folding
        // Directories that are there already do not fold.
        bench.disk.makeDirectory("/folding")
        bench.finished = FinishedFiles()
        return bench
    }

    private func run(_ bench: inout EngineBench, _ name: String, _ policy: ExistingFilePolicy?) -> EngineBench.Run {
        bench.run {
            $0.directory = "/folding"
            ($0.fileName, $0.ifExists) = (name, policy)
        }
    }

    @Test(arguments: spellings, ExistingFilePolicy.allCases)
    func `D29 another spelling of the name of a file just finished is neither enough nor replaced`(
        _ spelling: (SimulatedDisk.NameFolding, String, String), _ policy: ExistingFilePolicy
    ) throws {
        for largestHeldFile in [Int64(0), 1 << 20] {
            var bench = try bench(spelling.0)
            bench.largestHeldFile = largestHeldFile
            let first = bench.bytes
            #expect(run(&bench, spelling.1, policy).outcome?.isComplete == true)
            bench.origin.versions = [
                .init(bytes: EngineBench.bytes(5000, 9), entityTag: "\"nine\"", lastModified: "")
            ]
            let second = run(&bench, spelling.2, policy)
            #expect(bench.disk.contents(of: "/folding/" + spelling.1) == first)
            guard policy == .rename else {
                #expect(second.errorCode == .fileExists && second.requests.isEmpty)
                #expect(bench.disk.names(in: "/folding").count == 1)
                continue
            }
            let name = try #require(second.ending?.fileName)
            #expect(bench.disk.contents(of: "/folding/" + name) == bench.bytes)
        }
    }

    @Test func `D29 a file that an earlier process was cut off after renaming is not replaced`() throws {
        var bench = try bench(.caseAndForms)
        let first = bench.bytes
        bench.disk.install("/folding/A.bin", first)
        let status = try #require(try bench.disk.openDirectory("/folding").status("A.bin"))
        try bench.installJournal(durable: RangeSet(ByteRange(0..<5000))) {
            ($0.state, $0.targetName) = (.verified, "A.bin")
            ($0.partialDevice, $0.partialInode) = (status.identity.device, status.identity.inode)
        }
        bench.disk.install("/folding/A.bin.pawl", try #require(bench.contents("file.bin.pawl")))
        let again = run(&bench, "A.bin", .replace)
        #expect(again.outcome?.isComplete == true && again.requests.isEmpty)
        #expect(run(&bench, "a.bin", .replace).errorCode == .fileExists)
        #expect(bench.disk.contents(of: "/folding/A.bin") == first)
    }

    @Test func `D29 a file that appears under another spelling while its namesake is fetched is not replaced`() throws {
        var bench = try bench(.caseAndForms)
        let finished = FinishedFiles()
        bench.finished = finished
        let disk = bench.disk
        let held = bench.run {
            $0.directory = "/folding"
            ($0.fileName, $0.ifExists) = ("a.bin", .replace)
        } during: { _, runtime in
            runtime.after(.milliseconds(1)) {
                disk.install("/folding/A.bin", [1, 2, 3])
                let status = try? disk.openDirectory("/folding").status("A.bin")
                finished.note(status?.identity, as: "A.bin")
            }
        }
        #expect(held.errorCode == .fileExists)
        #expect(bench.disk.contents(of: "/folding/A.bin") == [1, 2, 3])
    }

    @Test
    func `D29 the same name is replaced or enough as ever, and so is another name of a disk that tells them apart`()
        throws
    {
        var folding = try bench(.caseAndForms)
        _ = run(&folding, "a.bin", .replace)
        #expect(run(&folding, "a.bin", .replace).outcome?.isComplete == true)
        #expect(run(&folding, "a.bin", .skip).outcome?.isSkipped == true)
        var plain = try bench(.none)
        _ = run(&plain, "A.bin", .replace)
        #expect(run(&plain, "a.bin", .replace).outcome?.isComplete == true)
        #expect(plain.disk.names(in: "/folding") == ["A.bin", "a.bin"])
    }
}
