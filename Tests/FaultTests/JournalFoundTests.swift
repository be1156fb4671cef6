import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Files that a run finds beside its target, and what it concludes from them.
@Suite struct `B7 What is found` {
    /// The names, inodes, sizes, times and contents of all files.
    private struct Listing: Equatable {
        let files: [String: Files.Status]
        let contents: [String: [UInt8]]

        init(_ trial: Trial) throws {
            files = try Files.listing(trial.directory.path)
            contents = try Dictionary(uniqueKeysWithValues: files.keys.map { ($0, try Files.read(trial.directory.file($0))) })
        }
    }

    /// Expects a journal error, no request, and no change to any file.
    @discardableResult
    private func expectRefusal(
        _ trial: Trial, mentioning words: String..., at location: SourceLocation = #_sourceLocation
    ) async throws -> DownloadError? {
        let before = try Listing(trial)
        let after = try await trial.run()
        #expect(after.error?.code == .journal, "\(after.phase)", sourceLocation: location)
        #expect(after.requests.isEmpty, sourceLocation: location)
        let isUnchanged = try Listing(trial) == before
        #expect(isUnchanged, "something was changed: \(after.names)", sourceLocation: location)
        for word in words {
            #expect(after.error?.message.contains(word) ?? false, "\(after.error?.message ?? "")", sourceLocation: location)
        }
        return after.error
    }

    private func writeSlot(_ record: JournalRecord, version: UInt8, into trial: Trial) throws {
        var file = try Files.read(trial.journal)
        var slot = Journal.encode(record)
        slot[8] = version
        let start = Int(Journal.slotOffset(generation: record.generation))
        file.replaceSubrange(start..<start + slot.count, with: slot)
        try Files.write(file, to: trial.journal)
    }

    // MARK: J05

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `J05 a journal of a newer version is left as it is, whichever slot says so, and the error names the version`(
        _ generation: UInt64
    ) async throws {
        let trial = try Trial()
        var record: JournalRecord?
        try trial.leave(durable: 0..<100_000) { record = $0 }
        var newer = try #require(record)
        newer.generation = generation
        try writeSlot(newer, version: 9, into: trial)
        try await expectRefusal(trial, mentioning: "newer Pawl", "version 9", "file.bin.pawl")
    }

    // MARK: J06

    @Test func `J06 the journal of another URL is not gone on from, and the error names the other one`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000, path: "/other.bin?token=secret")
        let error = try await expectRefusal(trial, mentioning: "another download", "other.bin")
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `J06 the journal of another partial file is not believed, though size and name are the same`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        // Create the other file while the first still exists, so that it cannot get the same inode number.
        try Files.write(try Files.read(trial.partial), to: trial.directory.file("other"))
        try Files.rename(trial.directory.file("other"), to: trial.partial)
        try await expectRefusal(trial, mentioning: "file.bin.part", "file.bin.pawl")
    }

    @Test func `J06 a partial file that carries another mark is not the one that the journal describes`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        let file = try POSIXStorage().openDirectory(trial.directory.path).open("file.bin.part", writable: true)
        guard try file.setMark([UInt8](repeating: 6, count: 16)) else { return }
        try file.close()
        try await expectRefusal(trial, mentioning: "file.bin.part")
    }

    @Test func `J06 two journals that changed places are both refused, and put back both are good again`() async throws {
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

    @Test(arguments: ChangePolicy.allCases)
    func `J06 a journal of another length is another file: begun anew with the old one kept aside, or refused`(
        _ policy: ChangePolicy
    ) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000) { $0.representation.total = 299_000 }
        let held = try Files.read(trial.partial)
        let after = try await trial.run { $0.settings.onChange = policy }
        switch policy {
        case .restart:
            after.expectWhole(trial.content, beside: ["file.bin.part.orphan-1"])
            let isKept = after.files["file.bin.part.orphan-1"]?.prefix(100_000) == held.prefix(100_000)
            #expect(isKept)
        case .fail:
            after.expectFailure(.changed, keeping: 100_000, of: trial.content)
        }
        after.expectCost(requests: 6)
    }

    // MARK: J07

    @Test(arguments: [nil, 0, 1, 60_000])
    func `J07 of a partial file that is gone or has been cut only what is still there counts`(_ length: Int?) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<300_000) { $0.state = .verified }
        if let length {
            let file = try POSIXStorage().openDirectory(trial.directory.path).open("file.bin.part", writable: true)
            try file.truncate(to: Int64(length))
            try file.close()
        } else {
            Files.remove(trial.partial)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.bodyBytes >= 300_000 - (length ?? 0))
        #expect(after.bodyBytes <= 300_000 - (length ?? 0) + 4096)
    }

    @Test func `J07 D17 where the journal says that all is checked, only the name is given`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<300_000) { $0.state = .verified }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.requests.isEmpty)
    }

    // MARK: J08

    @Test(arguments: [300_000, 299_999, 300_001, 1])
    func `J08 a partial file without a journal proves nothing by its size: it is kept aside and all is fetched`(
        _ size: Int
    ) async throws {
        let trial = try Trial()
        // The bytes are correct, but nothing proves it.
        let held = Array((trial.content + [0]).prefix(size))
        try Files.write(held, to: trial.partial)
        let after = try await trial.run()
        after.expectWhole(trial.content, beside: ["file.bin.part.orphan-1"])
        let isKept = after.files["file.bin.part.orphan-1"] == held
        #expect(isKept)
        #expect(after.bodyBytes >= 300_000)
    }

    @Test func `J08 D24 one of our own that lost its journal has its full length from the start: it is not believed, but kept`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000)
        var held = try Files.read(trial.partial)
        held[250_000] = 1
        try Files.write(held, to: trial.partial)
        let file = try POSIXStorage().openDirectory(trial.directory.path).open("file.bin.part", writable: true)
        guard try file.setMark([UInt8](repeating: 5, count: 16)) else { return }
        try file.close()
        Files.remove(trial.journal)
        let after = try await trial.run()
        after.expectWhole(trial.content, beside: ["file.bin.part.orphan-1"])
        #expect(after.bodyBytes >= 300_000)
        let isKept = after.files["file.bin.part.orphan-1"] == held
        #expect(isKept)
    }

    @Test func `J08 what another tool began is adopted when that is asked for, its last bytes compared`() async throws {
        let trial = try Trial()
        try Files.write(trial.content.prefix(200_000), to: trial.partial)
        let after = try await trial.run { $0.adoptsPartialFile = true }
        after.expectWhole(trial.content)
        #expect(after.ranges.first == "bytes=195904-")
        #expect(after.bodyBytes <= 104_096)
    }

    @Test func `J08 what was adopted and is damaged where nobody looked never gets the name when a digest is known`() async throws {
        let trial = try Trial()
        var held = Array(trial.content.prefix(200_000))
        held[1000] ^= 1
        try Files.write(held, to: trial.partial)
        var digester = CryptoDigests().makeDigester(.sha256)
        trial.content.withUnsafeBytes { digester.update($0) }
        let digest = Digest(algorithm: .sha256, bytes: digester.finalize())
        let after = try await trial.run {
            $0.adoptsPartialFile = true
            $0.settings.digest = digest
        }
        after.expectFailure(.digestMismatch, of: trial.content)
        #expect(after.names == ["file.bin.part.bad"])
    }
}
