import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Objects that already stand at the target's path, and the names and permissions of files.
@Suite struct `B6 Targets, names and permissions` {
    enum Obstacle: CaseIterable {
        case file, directory, link, danglingLink, linkToDirectory, fifo

        func put(at path: String, victim: String) throws {
            switch self {
            case .file: try Files.write([7, 7], to: path)
            case .directory: try Files.makeDirectory(path)
            case .link:
                try Files.write([8, 8], to: victim)
                try Files.makeSymbolicLink(path, to: victim)
            case .danglingLink: try Files.makeSymbolicLink(path, to: victim)
            case .linkToDirectory:
                try Files.makeDirectory(victim)
                try Files.makeSymbolicLink(path, to: victim)
            case .fifo: try Files.makeFIFO(path)
            }
        }

        var isReplaceable: Bool { self != .directory && self != .fifo }
    }

    @Test(arguments: Obstacle.allCases, ["", ".part", ".pawl"])
    func `D14 an existing object at the path of the target, partial file or journal is neither followed nor changed`(
        _ obstacle: Obstacle, _ suffix: String
    ) async throws {
        // Regular files under the partial file's or journal's name are subject to the journal's rules, which other
        // tests cover.
        if obstacle == .file, !suffix.isEmpty { return }
        let trial = try Trial()
        try obstacle.put(at: trial.target + suffix, victim: trial.directory.file("victim"))
        let before = try Files.listing(trial.directory.path)
        let after = try await trial.run()
        #expect(after.error?.code == .fileExists)
        #expect(after.error?.message.contains("“file.bin\(suffix)”") == true)
        #expect(after.requests.isEmpty)
        #expect(try Files.listing(trial.directory.path) == before)
    }

    @Test(arguments: Obstacle.allCases, [ExistingFilePolicy.fail, .replace])
    func
        `D14 an object that appears at the target during a download is replaced only on request; directories and FIFOs never are`(
            _ obstacle: Obstacle, _ policy: ExistingFilePolicy
        ) async throws
    {
        let trial = try Trial()
        let (target, victim) = (trial.target, trial.directory.file("victim"))
        let storage = FaultyStorage(POSIXStorage())
        storage.before { call in
            if call.operation == .setPermissions, !Files.exists(target) {
                try? obstacle.put(at: target, victim: victim)
            }
        }
        let first = try await trial.run({ $0.ifExists = policy }, storage: storage)
        if obstacle == .link || obstacle == .file, policy == .fail {
            #expect(first.error?.code == .fileExists)
        } else if policy == .replace, obstacle.isReplaceable {
            #expect(first.outcome?.isComplete == true)
            #expect(first.files[Trial.name] == trial.content)
        } else {
            first.expectFailure(.fileExists, keeping: Int64(trial.content.count), of: trial.content)
        }
        if obstacle == .link { #expect(first.files["victim"] == [8, 8]) }
        if obstacle == .danglingLink { #expect(!Files.exists(victim)) }
        guard first.outcome == nil else { return }
        // Once the obstacle is removed, the file completes without the network, as promised.
        Files.remove(target)
        let second = try await trial.run()
        #expect(second.files[Trial.name] == trial.content)
        #expect(second.requests.isEmpty)
    }

    @Test(
        arguments: [
            (.permissionDenied, .notWritable), (.busy, .diskError), (.crossDevice, .diskError),
            (.isADirectory, .fileExists),
            (.readOnly, .notWritable), (.inputOutput, .diskError),
        ] as [(StorageError.Reason, DownloadError.Code)])
    func `D16 D17 if the final rename fails, the next run renames the file without a request`(
        _ reason: StorageError.Reason, _ code: DownloadError.Code
    ) async throws {
        let trial = try Trial()
        let storage = FaultyStorage(POSIXStorage(), .failing(.rename, with: reason))
        let first = try await trial.run(storage: storage)
        first.expectFailure(code, keeping: Int64(trial.content.count), of: trial.content)
        #expect(first.record?.state == .verified)
        #expect(try Files.status(trial.partial).mode & 0o777 == 0o600)
        let second = try await trial.run()
        second.expectWhole(trial.content)
        #expect(second.requests.isEmpty)
    }

    @Test func `D17 a file that was renamed although the rename reported an error is recognised as finished`()
        async throws
    {
        let trial = try Trial()
        let storage = FaultyStorage(POSIXStorage(), .failing(.rename, with: .inputOutput), extent: .all)
        let first = try await trial.run(storage: storage)
        #expect(first.error?.code == .diskError)
        #expect(first.files[Trial.name] == trial.content)
        let second = try await trial.run()
        second.expectWhole(trial.content)
        #expect(second.requests.isEmpty)
    }

    @Test(arguments: [nil, 0o600, 0o640, 0o666, 0o777, 0o4755] as [UInt32?])
    func
        `D18 only the owner can read a partial file, and a finished file gets no more permissions than the file it replaces`(
            _ former: UInt32?
        ) async throws
    {
        let trial = try Trial()
        let (partial, journal) = (trial.partial, trial.journal)
        if let former {
            try Files.write([1], to: trial.target)
            try FileManager.default.setAttributes([.posixPermissions: Int(former)], ofItemAtPath: trial.target)
        }
        try Files.write([], to: trial.directory.file("plain"))
        let usual = try Files.status(trial.directory.file("plain")).mode & 0o7777
        let storage = FaultyStorage(POSIXStorage())
        storage.before { call in
            guard call.operation == .write || call.operation == .setPermissions else { return }
            for path in [partial, journal] {
                guard let mode = try? Files.status(path).mode & 0o7777 else { continue }
                #expect(mode == 0o600, "\(path) has \(String(mode, radix: 8))")
            }
        }
        let after = try await trial.run({ $0.ifExists = .replace }, storage: storage)
        after.expectWhole(trial.content, beside: ["plain"])
        let mode = try Files.status(trial.target).mode & 0o7777
        #expect(mode == usual & (former ?? 0o666))
    }

    @Test(arguments: [200, 201, 250])
    func `D23 the partial file and journal of a long name have names of at most 205 bytes, and the next run finds them`(
        _ length: Int
    ) async throws {
        let trial = try Trial()
        let name = String(repeating: "n", count: length - 4) + ".bin"
        let storage = FaultyStorage(POSIXStorage(), .failing(.rename, with: .inputOutput))
        let first = try await trial.run({ $0.fileName = name }, storage: storage)
        #expect(first.error?.code == .diskError)
        #expect(first.names.count == 2 && first.names.allSatisfy { $0.utf8.count <= 205 })
        let second = try await trial.run { $0.fileName = name }
        #expect(second.outcome?.isComplete == true)
        #expect(second.requests.isEmpty)
        #expect(second.names == [name])
    }

    @Test func `D23 a name too long for the file system is refused before any request`() async throws {
        let trial = try Trial()
        let after = try await trial.run { $0.fileName = String(repeating: "n", count: 256) }
        #expect(after.error?.code == .notWritable)
        #expect(after.error?.message.contains("too long") == true)
        #expect(after.requests.isEmpty && after.names.isEmpty)
    }
}
