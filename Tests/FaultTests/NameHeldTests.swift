import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Names that another download holds, by its files or by a lock.
@Suite struct `B8 Names held by other downloads` {
    /// Leaves an interrupted download of another URL under this name.
    private func leaveOther(_ name: String, in trial: Trial) throws {
        try trial.leave(durable: 0..<100_000, path: "/other.bin") { $0.targetName = name }
        guard name != Trial.name else { return }
        try Files.rename(trial.partial, to: trial.directory.file(name + ".part"))
        try Files.rename(trial.journal, to: trial.directory.file(name + ".pawl"))
    }

    private func expectRenamed(
        _ after: Aftermath, to name: String, _ trial: Trial, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(after.outcome?.isComplete == true, "\(after.phase)", sourceLocation: location)
        #expect(after.ending.fileName == name, sourceLocation: location)
        let isRight = after.files[name] == trial.content
        #expect(isRight, "\(after.names)", sourceLocation: location)
    }

    @Test(arguments: [1, 2, 3])
    func `M17 with rename, names held by interrupted downloads are skipped, and their files stay unchanged`(
        _ count: Int
    ) async throws {
        let trial = try Trial()
        try Files.write([1], to: trial.target)
        for number in 1..<count { try leaveOther(FileName.renamed(Trial.name, attempt: number), in: trial) }
        let before = try Files.listing(trial.directory.path)
        let after = try await trial.run { $0.ifExists = .rename }
        let name = FileName.renamed(Trial.name, attempt: count)
        expectRenamed(after, to: name, trial)
        var left = try Files.listing(trial.directory.path)
        left[name] = nil
        #expect(left == before)
    }

    @Test func `M17 with rename, a requested name that an interrupted download holds is replaced by the next free one`()
        async throws
    {
        let trial = try Trial()
        try leaveOther(Trial.name, in: trial)
        expectRenamed(try await trial.run { $0.ifExists = .rename }, to: "file (1).bin", trial)
        // Without `.rename` the name is asked for, and its bytes are of the same file.
        Files.remove(trial.directory.file("file (1).bin"))
        try await trial.run().expectWhole(trial.content)
    }

    @Test(arguments: `B6 Targets, names and permissions`.Obstacle.allCases, ["", ".part", ".pawl"])
    func `M17 with rename, whatever stands at the path of the target, partial file or journal costs only the name`(
        _ obstacle: `B6 Targets, names and permissions`.Obstacle, _ suffix: String
    ) async throws {
        // It is set aside, and the name is free.
        if obstacle == .file, suffix == ".part" { return }
        let trial = try Trial()
        try obstacle.put(at: trial.target + suffix, victim: trial.directory.file("victim"))
        let before = try Files.listing(trial.directory.path)
        expectRenamed(try await trial.run { $0.ifExists = .rename }, to: "file (1).bin", trial)
        var left = try Files.listing(trial.directory.path)
        left["file (1).bin"] = nil
        #expect(left == before)
    }

    @Test(arguments: ["file.bin", "file (1).bin"])
    func `M17 with rename, a name held by a running download is skipped`(_ held: String) async throws {
        let trial = try Trial()
        if held != Trial.name { try Files.write([1], to: trial.target) }
        let file = try POSIXStorage().openDirectory(trial.directory.path).create(held + ".part")
        #expect(try file.lock())
        try file.write([1, 2, 3], at: 0)
        let next = held == Trial.name ? "file (1).bin" : "file (2).bin"
        let after = try await trial.run { $0.ifExists = .rename }
        expectRenamed(after, to: next, trial)
        #expect(after.files[held + ".part"] == [1, 2, 3])
        try file.close()
    }

    @Test
    func `M17 with rename, a renamed interrupted download is found again although another one holds the original name`()
        async throws
    {
        let trial = try Trial()
        try leaveOther(Trial.name, in: trial)
        let own = try Trial()
        _ = own
        try Files.rename(trial.partial, to: trial.directory.file("kept.part"))
        try Files.rename(trial.journal, to: trial.directory.file("kept.pawl"))
        try trial.leave(durable: 0..<200_000) { $0.targetName = "file (1).bin" }
        try Files.rename(trial.partial, to: trial.directory.file("file (1).bin.part"))
        try Files.rename(trial.journal, to: trial.directory.file("file (1).bin.pawl"))
        try Files.rename(trial.directory.file("kept.part"), to: trial.partial)
        try Files.rename(trial.directory.file("kept.pawl"), to: trial.journal)
        let after = try await trial.run { $0.ifExists = .rename }
        expectRenamed(after, to: "file (1).bin", trial)
        #expect(after.bodyBytes <= 100_000 + 4096)
    }

    @Test(arguments: [true, false])
    func
        `M17 if two processes choose the same name at once, the second takes the next one with rename and fails without`(
            _ mayRename: Bool
        ) async throws
    {
        let trial = try Trial()
        // The other process creates its partial file after this one has looked and before this one creates its own.
        let storage = FaultyStorage(POSIXStorage())
        let partial = trial.partial
        storage.before { call in
            guard call.operation == .create, call.name == "file.bin.part", !Files.exists(partial) else { return }
            try? Files.write([1, 2, 3], to: partial)
        }
        let after = try await trial.run(
            {
                $0.fileName = nil
                if mayRename { $0.ifExists = .rename }
            }, storage: storage)
        if mayRename {
            expectRenamed(after, to: "file (1).bin", trial)
        } else {
            #expect(after.error?.code == .locked)
        }
        #expect(after.files["file.bin.part"] == [1, 2, 3])
    }

    /// Another process finds the file before it is locked, takes it for an empty leftover, and creates its own.
    @Test func `D15 a partial file that another process replaces before it is locked is reported as locked`()
        async throws
    {
        let trial = try Trial()
        let storage = FaultyStorage(POSIXStorage())
        let partial = trial.partial
        storage.before { call in
            guard call.operation == .lock, call.name == "file.bin.part" else { return }
            Files.remove(partial)
            try? Files.write([1, 2, 3], to: partial)
        }
        let after = try await trial.run(storage: storage)
        let error = after.expectFailure(.locked, of: trial.content)
        #expect(error?.message.contains("has just started") == true, "\(error?.message ?? "")")
        #expect(after.files == ["file.bin.part": [1, 2, 3]])
    }
}
