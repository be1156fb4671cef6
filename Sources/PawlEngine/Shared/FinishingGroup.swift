import PawlCore
import Synchronization

/// A whole file on its way to its name, by way of a file without one. Every call blocks.
protocol FinishingFile: Sendable {
    var directory: any StorageDirectory { get }

    /// Whether other files share the directory's descriptor, which was opened before.
    var isShared: Bool { get }

    /// Whether the path of the directory still leads to it.
    func isInPlace() -> Bool

    /// Writes all bytes into a file without a name. False where the system has no such files.
    mutating func write() throws(StorageError) -> Bool

    func startWriting()

    /// The file alone, and not its name.
    func sync() throws(StorageError)

    /// Gives the file its name. Returns false if the system cannot, or the name is taken.
    mutating func link() throws(StorageError) -> Bool

    /// A call to make once the file has its name, before that is durable; nil: none.
    var named: (@Sendable () -> Void)? { get }

    /// Returns the outcome. Call it once the file has its name, before ``close()``.
    func finished(isDurable: Bool) -> FinishingGroup.Outcome

    func close()
}

/// Makes small files durable that end within some milliseconds of each other, and gives them their names: one sync then
/// serves all of them.
///
/// Nothing waits for a timer. While one group is made durable, the next one gathers.
package final class FinishingGroup: Sendable {
    enum Outcome: Sendable {
        /// The file has its name, which is durable.
        case named(FinishedName)
        /// The group cannot finish the file, whatever the reason. The bytes are still in memory: the ordinary way
        /// begins with them, and reports what fails there.
        case ordinary
        /// The file has its name, which may not be durable.
        case failed(StorageError)
    }

    /// A file that has its name.
    struct FinishedName: Sendable {
        var name: String
        var trace: FileTrace?
        /// The digest that was compared, or computed.
        var digest: Digest?
        var reports: [DownloadReport] = []
    }

    private struct Member {
        var file: any FinishingFile
        /// The directory of the file; nil for a file that is finished alone.
        var directory: FileIdentity?
        let ended: @Sendable (Outcome) -> Void

        func end(_ outcome: Outcome, _ calls: Calls?) {
            file.close()
            if let calls, file.isShared { calls.add { [ended] in ended(outcome) } } else { ended(outcome) }
        }
    }

    /// The calls that a group makes together, on an event loop: to wake that costs as much as a small file.
    private final class Calls: Sendable {
        private let executor: any WorkExecutor
        private let waiting = Locked<[@Sendable () -> Void]>([])

        init(_ executor: any WorkExecutor) { self.executor = executor }

        func add(_ call: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(call) } }

        func make() {
            let calls = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if !calls.isEmpty { executor.submit { for call in calls { call() } } }
        }
    }

    /// The file system, and whether its files are to be made durable.
    private struct Key: Hashable {
        let device: UInt64
        let syncs: Bool
    }

    /// The queue of one file system: a disk that hangs delays only its own files.
    private struct Queue {
        let executor: any WorkExecutor
        var waiting: [Member] = []
    }

    private static let maximumCount = 128

    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let queues = Locked<[Key: Queue]>([:])

    package init(_ runtime: any Runtime) { (self.runtime, executor) = (runtime, runtime.makeControlExecutor()) }

    /// Returns at once.
    ///
    /// - Parameters:
    ///   - syncs: whether the files are to be made durable.
    ///   - ended: called once: on an event loop for a file of a shared directory, else on a thread that may block; at
    ///     once where the directory cannot be identified.
    func add(_ file: any FinishingFile, syncs: Bool = true, ended: @escaping @Sendable (Outcome) -> Void) {
        guard let directory = try? file.directory.identity() else { return ended(.ordinary) }
        let key = Key(device: directory.device, syncs: syncs)
        let executor = queues.withLock { queues -> (any WorkExecutor)? in
            let queue = queues[key, default: Queue(executor: runtime.makeSyncExecutor())]
            queues[key, default: queue].waiting.append(Member(file: file, directory: directory, ended: ended))
            // The turn of the first takes all along that come until then.
            return queue.waiting.isEmpty ? queue.executor : nil
        }
        executor?.submit { self.finishWaiting(key) }
    }

    /// Finishes all files that wait, in groups.
    private func finishWaiting(_ key: Key) {
        let calls = Calls(executor)
        while true {
            let members = queues.withLock { queues -> [Member] in
                guard let waiting = queues[key]?.waiting else { return [] }
                queues[key]?.waiting.removeFirst(min(waiting.count, Self.maximumCount))
                return Array(waiting.prefix(Self.maximumCount))
            }
            if members.isEmpty { return }
            Self.finish(members, syncs: key.syncs, calls)
            calls.make()
        }
    }

    /// A single file, with syncs of its own or without any. Blocks.
    static func finishAlone(_ file: any FinishingFile, syncs: Bool, ended: @escaping @Sendable (Outcome) -> Void) {
        finish([Member(file: file, ended: ended)], syncs: syncs)
    }

    // MARK: The steps

    private static func finish(_ members: [Member], syncs: Bool = true, _ calls: Calls? = nil) {
        var members = inPlace(members, calls)
        keep(&members, calls) { member throws(StorageError) in try member.file.write() }
        if syncs { sync(&members, calls) }
        keep(&members, calls) { member throws(StorageError) in try member.file.link() }
        for member in members { member.file.named.map { calls?.add($0) } }
        calls?.make()
        // Again, now that they have names: without a journal of its own, a file system writes down only now that they
        // are used.
        if syncs { syncNames(&members, calls) }
        for member in members { member.end(member.file.finished(isDurable: syncs), calls) }
    }

    /// Returns the members whose directory is still where its path leads; each that they share is looked at once.
    private static func inPlace(_ members: [Member], _ calls: Calls?) -> [Member] {
        var known: [ExactText: [FileIdentity?: Bool]] = [:]
        return members.filter { member in
            guard member.file.isShared else { return true }
            // Several paths may lead to one directory, and only some of them still.
            let path = ExactText(member.file.directory.path)
            let isInPlace = known[path]?[member.directory] ?? member.file.isInPlace()
            known[path, default: [:]][member.directory] = isInPlace
            if !isInPlace { member.end(.ordinary, calls) }
            return isInPlace
        }
    }

    /// Keeps the members for which the step succeeds. For the others it was not possible, or it failed.
    private static func keep(
        _ members: inout [Member], _ calls: Calls?, orElse failed: (StorageError) -> Outcome = { _ in .ordinary },
        _ step: (inout Member) throws(StorageError) -> Bool
    ) {
        var kept = 0
        for index in members.indices {
            do throws(StorageError) {
                if try step(&members[index]) {
                    members.swapAt(kept, index)
                    kept += 1
                } else {
                    members[index].end(.ordinary, calls)
                }
            } catch {
                members[index].end(failed(error), calls)
            }
        }
        members.removeLast(members.count - kept)
    }

    private static func sync(_ members: inout [Member], _ calls: Calls?) {
        do throws(StorageError) {
            if try syncFileSystem(of: members) { return }
        } catch {
            // Whose bytes are lost is not told.
            for member in members { member.end(.ordinary, calls) }
            return members = []
        }
        if members.count > 1 { for member in members { member.file.startWriting() } }
        keep(&members, calls) { member throws(StorageError) in
            try member.file.sync()
            return true
        }
    }

    private static func syncNames(_ members: inout [Member], _ calls: Calls?) {
        do throws(StorageError) {
            if try syncFileSystem(of: members) { return }
        } catch {
            for member in members { member.end(.failed(error), calls) }
            return members = []
        }
        keep(&members, calls, orElse: Outcome.failed) { member throws(StorageError) in
            try member.file.sync()
            return true
        }
        // An error is told once for each descriptor, and concerns all that were named in the directory.
        var errors: [FileIdentity?: StorageError?] = [:]
        keep(&members, calls, orElse: Outcome.failed) { member throws(StorageError) in
            let error = errors[member.directory] ?? syncError(of: member.file.directory)
            errors[member.directory] = .some(error)
            if let error { throw error }
            return true
        }
    }

    private static func syncError(of directory: any StorageDirectory) -> StorageError? {
        do throws(StorageError) {
            try directory.sync()
            return nil
        } catch { return error }
    }

    /// Syncs the file system of all members at once. Returns false if nothing was done, and each has to be synced.
    private static func syncFileSystem(of members: [Member]) throws(StorageError) -> Bool {
        // From two on it costs less than a sync of each.
        guard members.count > 1 else { return false }
        return try members[0].file.directory.syncFileSystem()
    }
}
