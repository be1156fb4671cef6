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
    func `J05 a journal with a newer version in any slot is left unchanged, and the error names the version`(
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

    @Test func `J06 the journal of another URL is refused, and the error names that URL without its secrets`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000, path: "/other.bin?token=secret")
        let error = try await expectRefusal(trial, mentioning: "another download", "other.bin")
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `J06 a partial file that was replaced by a copy is refused, although name and size match`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        // Create the other file while the first still exists, so that it cannot get the same inode number.
        try Files.write(try Files.read(trial.partial), to: trial.directory.file("other"))
        try Files.rename(trial.directory.file("other"), to: trial.partial)
        try await expectRefusal(trial, mentioning: "file.bin.part", "file.bin.pawl")
    }

    @Test(.needsMarks) func `J06 a partial file with another mark than its journal's is refused`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        let file = try POSIXStorage().openDirectory(trial.directory.path).open("file.bin.part", writable: true)
        try #require(try file.setMark([UInt8](repeating: 6, count: 16)))
        try file.close()
        try await expectRefusal(trial, mentioning: "file.bin.part")
    }

    @Test func `J06 a journal swapped with another download's is refused, and resumed once it is put back`() async throws {
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
    func `J06 a journal with another file length means a changed file: a restart with the old bytes set aside, or an error`(
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
    func `J07 of a missing or shortened partial file, only the bytes that are still there count`(_ length: Int?) async throws {
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

    @Test func `J07 D17 a partial file that its journal calls verified is renamed without a request`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<300_000) { $0.state = .verified }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.requests.isEmpty)
    }

    // MARK: J08

    @Test(arguments: [300_000, 299_999, 300_001, 1])
    func `J08 a partial file without a journal is set aside whatever its size, and the whole file is downloaded`(
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

    @Test(.needsMarks, arguments: [false, true])
    func `J08 D24 Pawl's own partial file without its journal is set aside, and the whole file is downloaded`(_ serverNames: Bool) async throws {
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

    @Test func `J08 another program's partial file is adopted on request, after its last bytes were compared`() async throws {
        let trial = try Trial()
        try Files.write(trial.content.prefix(200_000), to: trial.partial)
        let after = try await trial.run { $0.adoptsPartialFile = true }
        after.expectWhole(trial.content)
        #expect(after.ranges.first == "bytes=195904-")
        #expect(after.bodyBytes <= 104_096)
    }

    @Test func `J08 with a known digest, an adopted file with damage outside the compared bytes never gets the final name`() async throws {
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
