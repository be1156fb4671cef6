import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Files that a run finds beside its target, and what it concludes from them.
@Suite struct `B7 Files found beside the target` {
    /// The names, inodes, sizes, times and contents of all files.
    private struct Listing: Equatable {
        let files: [String: Files.Status]
        let contents: [String: [UInt8]]

        init(_ trial: Trial) throws {
            files = try Files.listing(trial.directory.path)
            contents = try Dictionary(
                uniqueKeysWithValues: files.keys.map { ($0, try Files.read(trial.directory.file($0))) })
        }
    }

    /// Expects a journal error, no request, and no change to any file.
    private func expectRefusal(_ trial: Trial, at location: SourceLocation = #_sourceLocation) async throws {
        let before = try Listing(trial)
        let after = try await trial.run()
        #expect(after.error?.code == .journal, "\(after.phase)", sourceLocation: location)
        #expect(after.requests.isEmpty, sourceLocation: location)
        let isUnchanged = try Listing(trial) == before
        #expect(isUnchanged, "something was changed: \(after.names)", sourceLocation: location)
    }

    // MARK: J04

    /// A note, an empty image of a disk, and a CD's, which begins with 32 KiB of zeros.
    @Test(arguments: ["note", "zeros", "image"], [true, false])
    func `J04 somebody's own file with the journal's name is left, and nobody is told to remove it`(
        _ kind: String, _ hasPartial: Bool
    ) async throws {
        let trial = try Trial()
        let zeros = [UInt8](repeating: 0, count: kind == "image" ? Journal.slotSize : 2 * Journal.fileSize)
        try Files.write(
            kind == "note" ? Array("my notes".utf8) : kind == "zeros" ? zeros : zeros + Array("\u{1}CD001".utf8),
            to: trial.journal)
        if hasPartial { try Files.write([1, 2, 3], to: trial.partial) }
        try await expectRefusal(trial)
        let error = try #require(try await trial.run().error)
        #expect(error.message.contains("“file.bin.pawl” is not a Pawl journal"), "\(error.message)")
        #expect(error.remedies == [.chooseName, .renameIfExists])
    }

    // MARK: J06

    @Test func `J06 a journal swapped with another download's is refused, and resumed once it is put back`()
        async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        let here = [trial.partial, trial.journal]
        let there = ["second.bin.part", "second.bin.pawl"].map(trial.directory.file)
        for (from, to) in zip(here, there) { try Files.rename(from, to: to) }
        try trial.leave(durable: 0..<50_000)

        func swap() throws {
            try Files.rename(trial.journal, to: trial.directory.file("aside"))
            try Files.rename(there[1], to: trial.journal)
            try Files.rename(trial.directory.file("aside"), to: there[1])
        }
        try swap()
        try await expectRefusal(trial)
        try swap()
        let after = try await trial.run()
        after.expectWhole(trial.content, beside: ["second.bin.part", "second.bin.pawl"])
        #expect(after.bodyBytes <= 250_000 + 4096)
    }

    /// Journals of a file shorter than the server's, and of a longer one of which all bytes that the server has are
    /// stored.
    @Test(arguments: ChangePolicy.allCases, [(299_000, 100_000), (300_010, 300_000)] as [(Int64, Int)])
    func
        `R21 J06 a journal with another file length means a changed file: a restart with the old bytes set aside, or an error`(
            _ policy: ChangePolicy, _ journal: (total: Int64, held: Int)
        ) async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<journal.held) { $0.representation.total = journal.total }
        let held = try Files.read(trial.partial)
        let after = try await trial.run { $0.settings.onChange = policy }
        switch policy {
        case .restart:
            after.expectWhole(trial.content, beside: ["file.bin.part.orphan-1"])
            let isKept = after.files["file.bin.part.orphan-1"]?.prefix(journal.held) == held.prefix(journal.held)
            #expect(isKept)
        case .fail:
            after.expectFailure(.changed, keeping: Int64(journal.held), of: trial.content)
        }
        after.expectCost(requests: 6)
    }

    // MARK: J08

    @Test(.needsMarks, arguments: [false, true])
    func `J08 D24 Pawl's own partial file without its journal is set aside, and the whole file is downloaded`(
        _ serverNames: Bool
    ) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000)
        var held = try Files.read(trial.partial)
        held[250_000] = 1
        try Files.write(held, to: trial.partial)
        let file = try POSIXStorage().openDirectory(trial.directory.path).open("file.bin.part", writable: true)
        try #require(try file.setMark([UInt8](repeating: 5, count: 16)))
        try file.close()
        Files.remove(trial.journal)
        let after = try await trial.run { if serverNames { $0.fileName = nil } }
        after.expectWhole(trial.content, beside: ["file.bin.part.orphan-1"])
        #expect(after.reports.count { $0 == .startedOver(keeping: .untilPassed) } == 1)
        #expect(after.bodyBytes >= 300_000)
        let isKept = after.files["file.bin.part.orphan-1"] == held
        #expect(isKept)
    }

    @Test
    func `J08 with a known digest, an adopted file with damage outside the compared bytes never gets the final name`()
        async throws
    {
        let trial = try Trial()
        var held = Array(trial.content.prefix(200_000))
        held[1000] ^= 1
        try Files.write(held, to: trial.partial)
        let digest = Digest(algorithm: .sha256, bytes: SHA256.hash(trial.content))
        let after = try await trial.run {
            $0.adoptsPartialFile = true
            $0.settings.digest = digest
        }
        after.expectFailure(.digestMismatch, of: trial.content)
        #expect(after.names == ["file.bin.part.bad"])
        #expect(try !isAside("file.bin.part.bad", in: trial))
    }

    @Test func `J08 of files that failed their digest, only those that Pawl wrote may be cleaned up`() async throws {
        let trial = try Trial()
        let after = try await trial.run { $0.settings.digest = Sums.sha256([9]) }
        #expect(after.names == ["file.bin.part.bad"])
        #expect(after.error?.remedies == [.checkDigest])
        #expect(try isAside("file.bin.part.bad", in: trial))
    }

    private func isAside(_ name: String, in trial: Trial) throws -> Bool {
        let file = try POSIXStorage().openDirectory(trial.directory.path).open(name, writable: false)
        defer { try? file.close() }
        return AsideMark.isOn(file)
    }
}
