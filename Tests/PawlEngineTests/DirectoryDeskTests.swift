import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

/// The directories of small files, and the groups that share them.
@Suite struct `Directories of small files` {
    private let disk = SimulatedDisk(seed: 1)
    private let runtime = SimulatedRuntime(seed: 1, now: .zero)

    private func find(_ path: String, on desk: DirectoryDesk) -> DirectoryDesk.Place? {
        let found = Locked<DirectoryDesk.Place??>(nil)
        desk.find(path, disk) { place in found.withLock { $0 = place } }
        _ = runtime.run(limit: .seconds(1)) { found.withLock { $0 != nil } }
        return found.withLock { $0 } ?? nil
    }

    private func pass(_ time: Duration) {
        let end = Locked(false)
        runtime.after(time) { end.withLock { $0 = true } }
        _ = runtime.run(limit: .seconds(3600)) { end.withLock { $0 } }
    }

    @Test func `a name is free unless something unfinished stands beside it, whenever that came`() throws {
        disk.makeDirectory("/d")
        disk.install("/d/a.part", [1])
        let desk = DirectoryDesk(runtime, JournalIndex())
        let place = try #require(find("/d", on: desk))
        #expect(!place.isFree("a") && !place.isFree("A") && place.isFree("b"))
        desk.note(["b.part"], in: "/d")
        #expect(try !#require(find("/d", on: desk)).isFree("b"), "a download of this process left it")
        disk.install("/d/c.pawl", [1])
        #expect(try #require(find("/d", on: desk)).isFree("c"), "known for a second")
        pass(.seconds(2))
        let later = try #require(find("/d", on: desk))
        #expect(!later.isFree("c") && !later.isFree("a") && later.isFree("b"))
    }

    @Test func `a look tells what is known of journals, and of a name that the caller gives`() throws {
        disk.makeDirectory("/d")
        for name in ["a", "b.part", "c.pawl", "e.part.bad"] { disk.install("/d/" + name, [1]) }
        let journals = JournalIndex()
        let desk = DirectoryDesk(runtime, journals)
        let place = try #require(find("/d", on: desk))
        #expect(journals.hasNone(in: "/d", at: runtime.now) == false)
        func lacks(_ name: String, _ digest: Digest? = nil) -> Bool {
            let answer = Locked<Bool?>(nil)
            desk.lacks(name, verifying: digest, in: place) { found in answer.withLock { $0 = found } }
            _ = runtime.run(limit: .seconds(1)) { answer.withLock { $0 } != nil }
            return answer.withLock { $0 } ?? false
        }
        let digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
        for name in ["a", "b", "c", "d.part", "d.pawl"] { #expect(!lacks(name), "\(name)") }
        #expect(lacks("d") && lacks("d", digest) && lacks("e") && !lacks("e", digest), "e.part.bad did not match once")
    }

    @Test func `what is left while somebody looks is not overlooked`() throws {
        disk.makeDirectory("/d")
        let desk = DirectoryDesk(runtime, JournalIndex())
        let found = Locked<[DirectoryDesk.Place?]>([])
        for _ in 0..<3 { desk.find("/d", disk) { place in found.withLock { $0.append(place) } } }
        desk.note(["a.part"], in: "/d")
        let opened = disk.openFileCount
        _ = runtime.run(limit: .seconds(1)) { found.withLock { $0.count } == 3 }
        #expect(found.withLock { $0.allSatisfy { $0?.isFree("a") == false } })
        #expect(disk.openFileCount - opened <= 1, "one look for all three")
    }

    @Test func `a directory in which no file without a name can be made is asked once`() throws {
        disk.makeDirectory("/d")
        disk.features.hasUnnamedFiles = false
        let desk = DirectoryDesk(runtime, JournalIndex())
        let place = try #require(find("/d", on: desk))
        #expect(!place.makesUnnamed)
        let asked = disk.count(of: .createUnnamed)
        pass(.seconds(2))
        #expect(find("/d", on: desk)?.makesUnnamed == false && disk.count(of: .createUnnamed) == asked)
    }

    @Test func `what a killed run left under a name of ours is removed, and nothing else`() throws {
        disk.makeDirectory("/d")
        let left = TemporaryName(for: "a", random: 7).text
        let held = TemporaryName(for: "b", random: 8).text
        let foreign = [
            ".a.new", "." + String(left.dropFirst().reversed()), left + ".new",
            TemporaryName(for: "c", random: 1).text + "x",
        ]
        for name in [left, held] + foreign { disk.install("/d/" + name, [1]) }
        let other = try disk.openDirectory("/d").open(held, writable: true)
        #expect(try other.lock())
        _ = find("/d", on: DirectoryDesk(runtime, JournalIndex()))
        #expect(disk.names(in: "/d").sorted() == ([held] + foreign).sorted())
        try other.close()
        _ = find("/d", on: DirectoryDesk(runtime, JournalIndex()))
        #expect(disk.names(in: "/d").sorted() == foreign.sorted())
    }

    @Test func `a directory in which files bear no marks makes none that need one`() {
        let desk = DirectoryDesk(runtime, JournalIndex())
        #expect(desk.serves("/e", marked: true))
        desk.noteUnmarked("/e")
        #expect(!desk.serves("/e", marked: true) && desk.serves("/e", marked: false))
    }

    // MARK: Groups

    /// A directory by one of its paths.
    private final class Spied: StorageDirectory {
        let path: String
        let newFilePermissions: UInt16 = 0o644
        private let inode: UInt64
        private let syncs: Locked<[StorageError?]>

        /// - Parameter syncs: the outcome of each sync of the descriptor; those after them succeed, as the system tells
        ///   an error once.
        init(_ path: String, inode: UInt64, syncs: [StorageError?] = []) {
            (self.path, self.inode) = (path, inode)
            self.syncs = Locked(syncs)
        }

        private var refusal: StorageError { StorageError(operation: "any", name: path, reason: .notSupported) }

        func identity() throws(StorageError) -> FileIdentity { FileIdentity(device: 1, inode: inode) }
        func sync() throws(StorageError) {
            let error = syncs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let error { throw error }
        }
        func names() throws(StorageError) -> [String] { throw refusal }
        func create(_ name: String) throws(StorageError) -> any StorageFile { throw refusal }
        func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile { throw refusal }
        func status(_ name: String) throws(StorageError) -> FileStatus? { throw refusal }
        func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) { throw refusal }
        func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) { throw refusal }
        func availableBytes() throws(StorageError) -> Int64 { throw refusal }
    }

    private struct Whole: FinishingFile {
        let name: String
        let directory: any StorageDirectory
        var isCurrent = true
        var isShared: Bool { true }
        var named: (@Sendable () -> Void)? { nil }

        func isInPlace() -> Bool { isCurrent }
        mutating func write() throws(StorageError) -> Bool { true }
        func startWriting() {}
        func sync() throws(StorageError) {}
        mutating func link() throws(StorageError) -> Bool { true }
        func finished(isDurable: Bool) -> FinishingGroup.Outcome { .named(.init(name: name)) }
        func close() {}
    }

    /// Returns the outcomes of a group, by name.
    private func outcomes(_ files: [Whole]) -> [String: String] {
        let group = FinishingGroup(runtime)
        let outcomes = Locked<[String: String]>([:])
        for file in files {
            group.add(file) { outcome in
                let word =
                    switch outcome {
                    case .named: "named"
                    case .ordinary: "ordinary"
                    case .failed(let error): "failed \(error.reason)"
                    }
                outcomes.withLock { $0[file.name] = word }
            }
        }
        _ = runtime.run(limit: .seconds(1)) { outcomes.withLock { $0.count } == files.count }
        return outcomes.withLock { $0 }
    }

    @Test func `of two paths to one directory, each is asked whether it still leads there`() {
        let (old, new) = (Spied("/old", inode: 7), Spied("/new", inode: 7))
        let files = [
            Whole(name: "a", directory: old, isCurrent: false), Whole(name: "b", directory: new),
            Whole(name: "c", directory: old, isCurrent: false), Whole(name: "d", directory: new),
        ]
        #expect(outcomes(files) == ["a": "ordinary", "b": "named", "c": "ordinary", "d": "named"])
        #expect(outcomes(files.reversed()) == ["a": "ordinary", "b": "named", "c": "ordinary", "d": "named"])
    }

    @Test func `D05 an error of a directory's sync is told to all files that it names`() {
        let error = StorageError(operation: "fsync", name: "/d", reason: .inputOutput)
        let directory = Spied("/d", inode: 7, syncs: [error])
        let other = Spied("/e", inode: 8)
        let files = [
            Whole(name: "a", directory: directory), Whole(name: "b", directory: other),
            Whole(name: "c", directory: directory), Whole(name: "d", directory: directory),
        ]
        let failed = "failed \(StorageError.Reason.inputOutput)"
        #expect(outcomes(files) == ["a": failed, "b": "named", "c": failed, "d": failed])
    }
}
