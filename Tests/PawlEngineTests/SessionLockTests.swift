import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

/// Two processes share one session: one of them acts in the very moment between two calls of the other.
@Suite struct SessionLockTests {
    private let disk = SimulatedDisk(seed: 1)

    init() { disk.makeDirectory("/s") }

    private func record(_ number: UInt64, _ text: String) -> SessionRecord {
        SessionRecord(id: DownloadID(number), bytes: Array(text.utf8))
    }

    private func session(_ storage: any Storage) -> SessionFile {
        SessionFile(storage, directory: "/s", name: "session")
    }

    /// Acts as the other process, which has the session and gives its name to a new file, as it does when the old one
    /// is doubtful.
    private func replaceFile(_ file: SessionFile, with text: String) throws {
        disk.faults = .failing(.write, with: .inputOutput)
        #expect(throws: DownloadError.self) { try file.save([.put(record(1, text))]) }
        disk.faults = FaultPlan()
        let before = try disk.openDirectory("/s").status("session")?.identity
        try file.save([.put(record(1, text))])
        #expect(try disk.openDirectory("/s").status("session")?.identity != before)
    }

    /// Runs `body` before the first call of this kind.
    ///
    /// - Parameter name: The file's name; nil for a new file that is to become the session.
    private func storage(
        before operation: FaultyStorage.Operation, _ name: String?, _ body: @escaping @Sendable () -> Void
    ) -> FaultyStorage {
        let storage = FaultyStorage(disk)
        let isDone = Locked(false)
        storage.before { call in
            let isMeant = name.map { call.name == $0 } ?? TemporaryName.isOne(call.name, for: "session")
            guard call.operation == operation, isMeant else { return }
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { body() }
        }
        return storage
    }

    @Test func `J15 a session replaced between opening and locking is read from the file that has the name`() throws {
        let other = session(disk)
        _ = try other.load()
        try other.save([.put(record(1, "old"))])
        let storage = storage(before: .lock, "session") {
            // The other process ends as well, so both the old and the new file are unlocked.
            #expect(throws: Never.self) { try replaceFile(other, with: "new") }
            other.close()
        }
        let late = session(storage)
        #expect(try late.load() == [record(1, "new")])
        try late.save([.put(record(2, "two"))])
        late.close()
        #expect(try session(disk).load() == [record(1, "new"), record(2, "two")])
        #expect(storage.openFileCount == 0)
    }

    @Test func `J15 a session whose new file another process holds is in use`() throws {
        let other = session(disk)
        _ = try other.load()
        try other.save([.put(record(1, "old"))])
        let storage = storage(before: .lock, "session") {
            #expect(throws: Never.self) { try replaceFile(other, with: "new") }
        }
        let error = #expect(throws: DownloadError.self) { try session(storage).load() }
        #expect(error?.code == .locked)
        #expect(storage.openFileCount == 0)
        try other.save([.put(record(3, "three"))])
        other.close()
        #expect(try session(disk).load() == [record(1, "new"), record(3, "three")])
    }

    /// Neither process had a file when it began.
    @Test(arguments: [FaultyStorage.Operation.lock, .write, .sync, .rename])
    func `J15 of two processes that create a session at the same time, one gets it and the other gets an error`(
        _ operation: FaultyStorage.Operation
    ) throws {
        let other = session(disk)
        _ = try other.load()
        let outcome = Locked<DownloadError?>(nil)
        let storage = storage(before: operation, nil) {
            do throws(DownloadError) {
                try other.save([.put(record(1, "other"))])
            } catch {
                outcome.withLock { $0 = error }
            }
        }
        let late = session(storage)
        _ = try late.load()
        var saved: [SessionRecord] = []
        do throws(DownloadError) {
            try late.save([.put(record(1, "late"))])
            saved.append(record(1, "late"))
        } catch {
            #expect(error.code == .locked)
        }
        if outcome.withLock({ $0 }) == nil { saved.append(record(1, "other")) }
        #expect(saved.count == 1, "\(saved)")
        if let error = outcome.withLock({ $0 }) { #expect(error.code == .locked) }
        late.close()
        other.close()
        #expect(try session(disk).load() == saved)
        #expect(disk.names(in: "/s") == ["session"])
    }

    @Test func `J15 the new file that another process is writing is not taken for a leftover`() throws {
        let directory = try disk.openDirectory("/s")
        let file = try directory.create(TemporaryName(for: "session", random: 1).text)
        #expect(try file.lock())
        let error = #expect(throws: DownloadError.self) { try session(disk).load() }
        #expect(error?.code == .locked)
        try file.close()
        #expect(try session(disk).load().isEmpty)
        #expect(disk.names(in: "/s").isEmpty)
    }

    @Test(arguments: [Array("a letter".utf8), [], [UInt8](repeating: 0, count: 100)])
    func `P05 a foreign file with a name like that of a new session is left alone and does not prevent saving`(
        bytes: [UInt8]
    ) throws {
        disk.install("/s/session.new", bytes)
        let file = session(disk)
        #expect(try file.load().isEmpty)
        try file.save([.put(record(1, "one"))])
        file.close()
        #expect(try session(disk).load() == [record(1, "one")])
        #expect(disk.contents(of: "/s/session.new") == bytes)
        #expect(disk.names(in: "/s") == ["session", "session.new"])
    }

    @Test(arguments: [StorageError.Reason.permissionDenied, .symbolicLink])
    func `P05 a leftover that cannot be opened prevents neither loading nor saving`(reason: StorageError.Reason) throws
    {
        let file = session(disk)
        _ = try file.load()
        try file.save([.put(record(1, "one"))])
        file.close()
        let leftover = TemporaryName(for: "session", random: 1).text
        disk.install("/s/" + leftover, [1])
        // The session is the first file to be opened.
        disk.faults = .failing(.open, call: 2, with: reason)
        let next = session(disk)
        #expect(try next.load() == [record(1, "one")])
        try next.save([.put(record(2, "two"))])
        next.close()
        #expect(try session(disk).load() == [record(1, "one"), record(2, "two")])
        #expect(disk.names(in: "/s") == ["session"])
    }
}
