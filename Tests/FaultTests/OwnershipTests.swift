import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Ownership of files: a file that Pawl made may have become the user's, and a user's file is never removed.
@Suite struct `B6 Files that became the user's` {
    static let content = FileBehaviour.pattern(count: 300_000)

    /// A server without the file: all changes to files happen before the request, or are permanent.
    private static func trialWithoutServer() throws -> Trial {
        try Trial(Self.content) { _, connection in try connection.send("HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private func mark(
        _ path: String, in trial: Trial, _ mark: [UInt8] = [UInt8](repeating: 7, count: 16)
    ) throws -> Bool {
        let name = String(path.split(separator: "/").last ?? "")
        let file = try POSIXStorage().openDirectory(trial.directory.path).open(name, writable: true)
        defer { try? file.close() }
        return try file.setMark(mark)
    }

    private func isMarked(_ name: String, in trial: Trial) throws -> Bool {
        let file = try POSIXStorage().openDirectory(trial.directory.path).open(name, writable: false)
        defer { try? file.close() }
        return try file.mark() != nil
    }

    // MARK: Marks

    @Test(arguments: ["small", "large", "replaced", "parts", "assembled"])
    func `D24 a finished file carries no mark`(_ kind: String) async throws {
        let content = FileBehaviour.pattern(count: kind == "large" ? 3 << 20 : 300_000)
        let trial = try Trial(content)
        // Read-only even for its owner, as a replaced file may be: the mark must be removed while the file is still
        // writable.
        if kind == "replaced" {
            try Files.write([1], to: trial.target)
            try Files.setMode(trial.target, 0o444)
        }
        let after = try await trial.run {
            if kind == "replaced" { $0.ifExists = .replace }
            if kind == "parts" { $0.settings.ranges = try? RangeSelection(parsing: "0-99,1000-1999") }
            if kind == "assembled" { $0.settings.ranges = try? RangeSelection(parsing: "1000-1999,0-99") }
        }
        #expect(after.outcome?.isComplete == true, "\(after.phase)")
        #expect(after.names == [Trial.name])
        #expect(try !isMarked(Trial.name, in: trial))
        if kind == "replaced" { #expect(try Files.status(trial.target).mode & 0o777 == 0o444) }
    }

    @Test(.needsMarks) func `D24 if a run ends right after the rename, the next run removes the finished file's mark`()
        async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<300_000) { $0.state = .verified }
        try #require(try mark(trial.partial, in: trial, [UInt8](repeating: 5, count: 16)))
        try Files.rename(trial.partial, to: trial.target)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.requests.isEmpty)
        #expect(try !isMarked(Trial.name, in: trial))
    }

    @Test(.needsMarks) func `D24 files that are set aside or quarantined carry no mark`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000) { $0.representation.total = 299_000 }
        try #require(try mark(trial.partial, in: trial, [UInt8](repeating: 5, count: 16)))
        let after = try await trial.run()
        after.expectWhole(trial.content, beside: [Aftermath.orphan])
        #expect(try !isMarked(Aftermath.orphan, in: trial))

        let other = try Trial()
        let second = try await other.run { $0.settings.digest = Sums.sha256([9]) }
        second.expectFailure(.digestMismatch, of: other.content)
        #expect(second.names == ["file.bin.part.bad"])
        #expect(try !isMarked("file.bin.part.bad", in: other))
    }

    // MARK: Left as it is

    @Test(arguments: [false, true], [false, true])
    func `D14 an existing file that is skipped still has to match the digest`(
        _ isRight: Bool, _ serverNames: Bool
    ) async throws {
        let trial = try Trial()
        let held = isRight ? trial.content : Array(trial.content.dropLast())
        try Files.write(held, to: trial.target)
        let digest = Sums.sha256(trial.content)
        let after = try await trial.run {
            $0.ifExists = .skip
            $0.settings.digest = digest
            if serverNames { $0.fileName = nil }
        }
        #expect(after.error?.code == (isRight ? nil : .digestMismatch))
        if case .completed(let outcome) = after.ending.phase {
            #expect(outcome.isVerified && outcome.skipReason == .exists)
        }
        #expect(after.reports.contains(.skipped(.exists)) == isRight)
        #expect(after.names == [Trial.name])
        let isKept = after.files[Trial.name] == held
        #expect(isKept)
    }

    @Test func `D14 a symbolic link that would be skipped is not taken for a file that matches the digest`()
        async throws
    {
        let trial = try Trial()
        try Files.write(trial.content, to: trial.directory.file("real"))
        try Files.makeSymbolicLink(trial.target, to: "real")
        let before = try Files.listing(trial.directory.path)
        for digest in [nil, Sums.sha256(trial.content)] {
            let after = try await trial.run {
                $0.ifExists = .skip
                $0.settings.digest = digest
            }
            #expect(after.error?.code == (digest == nil ? nil : .fileExists))
            #expect(try Files.listing(trial.directory.path) == before)
        }
    }

    // MARK: Moved back

    @Test(arguments: [true, false])
    func `D24 a finished file that the user renames to the partial file's name is kept byte for byte`(
        _ adopts: Bool
    ) async throws {
        let trial = try Trial()
        try await trial.run().expectWhole(trial.content)
        try Files.rename(trial.target, to: trial.partial)
        let inode = try Files.status(trial.partial).inode

        let offline = try await trial.run(url: "http://127.0.0.1:9/file.bin") {
            $0.adoptsPartialFile = adopts
            $0.settings.retry.maximumTriesWithoutProgress = 1
        }
        #expect(offline.error != nil)
        #expect(offline.names == [adopts ? "file.bin.part" : Aftermath.orphan])
        #expect(offline.reports.contains(.startedOver(keeping: .always)) == !adopts)
        let kept = trial.directory.file(try #require(offline.names.first))
        #expect(try Files.status(kept).inode == inode)
        #expect(try Files.isEqual(kept, to: trial.content))
        guard adopts else { return }
        let after = try await trial.run { $0.adoptsPartialFile = true }
        after.expectWhole(trial.content)
        #expect(after.bodyBytes <= 2 * 4096)
    }

    /// Finished files of an earlier version may still carry a mark; after a power loss, a removed mark may be back.
    @Test(.needsMarks, arguments: [true, false])
    func `D24 a marked partial file without a journal is set aside and not removed, whatever its content`(
        _ isWhole: Bool
    ) async throws {
        let trial = try Self.trialWithoutServer()
        let held = isWhole ? Self.content : FileBehaviour.pattern(count: 70_000, seed: 3)
        try Files.write(held, to: trial.partial)
        try #require(try mark(trial.partial, in: trial))
        let after = try await trial.run()
        #expect(after.error?.code == .notFound)
        #expect(after.names == [Aftermath.orphan])
        #expect(after.files[Aftermath.orphan] == held)
        #expect(try !isMarked(Aftermath.orphan, in: trial))
    }

    @Test(.needsMarks)
    func `D24 a file set aside is kept if one of its bytes differs from the finished file, or if it has no mark`()
        async throws
    {
        for (isOurs, flips) in [(true, true), (false, false)] {
            let trial = try Trial()
            var held = Array(trial.content.prefix(70_000))
            if flips { held[69_000] ^= 1 }
            try Files.write(held, to: trial.partial)
            if isOurs { try #require(try mark(trial.partial, in: trial)) }
            let after = try await trial.run()
            after.expectWhole(trial.content, beside: [Aftermath.orphan])
            let isKept = after.files[Aftermath.orphan] == held
            #expect(isKept)
        }
    }

    @Test func `D24 a partial file whose journal has another length than expected is set aside`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000) { $0.representation.total = 299_000 }
        let held = try Files.read(trial.partial)
        let after = try await trial.run { $0.settings.expectedSize = 300_000 }
        after.expectWhole(trial.content, beside: [Aftermath.orphan])
        let isKept = after.files[Aftermath.orphan]?.prefix(100_000) == held.prefix(100_000)
        #expect(isKept)
    }

    // MARK: Kills

    @Test(.needsMarks) func `D24 J13 after a kill before the first byte, the next run removes the empty partial file`()
        async throws
    {
        let trial = try Self.trialWithoutServer()
        let file = try POSIXStorage().openDirectory(trial.directory.path).create("file.bin.part")
        try #require(try file.setMark([UInt8](repeating: 7, count: 16)))
        // Without a reservation, too, the file has its length.
        _ = try file.allocate(300_000)
        try file.close()
        let after = try await trial.run()
        #expect(after.names.isEmpty)
    }

    @Test(.needsMarks)
    func `D24 J13 after a kill early in a small download, the next run leaves only the finished file`() async throws {
        let trial = try Trial()
        let file = try POSIXStorage().openDirectory(trial.directory.path).create("file.bin.part")
        try #require(try file.setMark([UInt8](repeating: 7, count: 16)))
        // Without a reservation, too, the file has its length.
        _ = try file.allocate(300_000)
        // Neither end is aligned to a block.
        try file.write(Array(trial.content[5000..<70_001]), at: 5000)
        try file.close()
        let after = try await trial.run()
        after.expectWhole(trial.content)
    }

    @Test func `D24 J13 a large download has a journal before its first byte`() async throws {
        let content = FileBehaviour.pattern(count: 3 << 20)
        let gated = try GatedTrial(content, free: 0)
        let trial = gated.trial
        var record: UnsyncedRecord?
        let after = try await trial.run {
            $0.settings.maximumConnections = 1
        } during: { _ in
            try await gated.wait("a journal", skipping: .zero) {
                Files.exists(trial.journal) && Files.exists(trial.partial)
            }
            try await gated.wait("a record", skipping: .zero) {
                record = Journal.decodeUnsynced(try Files.read(trial.journal))
                return record != nil
            }
            gated.gate.open()
        }
        #expect(record?.record.durable.isEmpty == true)
        after.expectWhole(content)
    }

    @Test(.needsMarks) func `D24 J13 a partial file whose journal claims nothing is replaced, not set aside`()
        async throws
    {
        let trial = try Trial()
        let file = try POSIXStorage().openDirectory(trial.directory.path).create("file.bin.part")
        let id = [UInt8](repeating: 5, count: 16)
        try #require(try file.setMark(id))
        // Without a reservation, too, the file has its length.
        _ = try file.allocate(300_000)
        try file.write([UInt8](repeating: 9, count: 70_000), at: 0)
        try trial.leaveSoft(claiming: RangeSet(), id: id, inode: file.status().identity.inode)
        try file.close()
        let after = try await trial.run()
        after.expectWhole(trial.content)
    }

    // MARK: Assembling

    @Test(.needsMarks) func `D24 another download's file under the name for assembling parts is left unchanged`()
        async throws
    {
        let trial = try Trial()
        let pieces = trial.partial + ".pieces"
        try Files.write([1, 2, 3], to: pieces)
        try #require(try mark(pieces, in: trial, [UInt8](repeating: 7, count: 16) + Array("file.bin.part".utf8)))
        let after = try await trial.run { $0.settings.ranges = try? RangeSelection(parsing: "1000-1999,0-99") }
        #expect(after.outcome?.isComplete == true)
        #expect(after.files["file.bin.part.pieces"] == [1, 2, 3])
    }
}
