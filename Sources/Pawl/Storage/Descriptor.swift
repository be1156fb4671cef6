import PawlCore
import PawlSystem
import Synchronization

/// A file descriptor that is never used after it was closed, and so never reaches another file that was given the same
/// number.
///
/// A call holds the lock shared, so that calls overlap; closing holds it alone, and so waits for the calls under way
/// and is the one to see the error that `close` reports. The flag keeps a stream of new calls from holding a close off
/// for ever.
///
/// `@unchecked Sendable`: `number` changes only under `lock` held alone, and is read only under `lock` held shared.
final class Descriptor: @unchecked Sendable {
    /// The name of the file in messages.
    let name: String
    private var number: Int32
    private let isClosing = Atomic(false)
    private let isLocked = Atomic(false)
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    private static let closed: Int32 = -1

    /// Takes over an open descriptor.
    init(_ number: Int32, name: String) {
        self.name = name
        self.number = number
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_rwlock_t())
        let result = pthread_rwlock_init(lock, nil)
        // Proven: pthread_rwlock(3) fails only for a lock that was not made, or is held by this thread already.
        precondition(result == 0, "pthread_rwlock_init: \(result)")
    }

    deinit {
        // Nobody is left to be told of an error; whoever needs to know closes first.
        try? close()
        pthread_rwlock_destroy(lock)
        lock.deinitialize(count: 1)
        lock.deallocate()
    }

    /// Runs `body` with the number, which stays open until it returns. `operation` is the call that the error names
    /// after a close.
    func use<Result>(
        _ operation: String, _ body: (Int32) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !isClosing.load(ordering: .acquiring) else { throw closedError(operation) }
        let result = pthread_rwlock_rdlock(lock)
        // Proven: pthread_rwlock(3) fails only for a lock that was not made, or is held by this thread already.
        precondition(result == 0, "pthread_rwlock_rdlock: \(result)")
        defer { pthread_rwlock_unlock(lock) }
        guard number != Self.closed else { throw closedError(operation) }
        return try body(number)
    }

    /// Takes the lock on the whole file, which ends with ``close()``.
    ///
    /// - Returns: false when another open file has it.
    func lockExclusively() throws(StorageError) -> Bool {
        try use("fcntl") { file throws(StorageError) in
            if SystemCalls.retryingInterrupts({ SystemCalls.lockExclusively(file) }) == 0 {
                isLocked.store(true, ordering: .relaxed)
                return true
            }
            switch errno {
            // fcntl(2): which of the two a held lock answers with is left to the system.
            case EAGAIN, EACCES: return false
            // Linux before 3.15 does not know this kind of lock.
            case EINVAL: throw StorageError(operation: "fcntl", name: name, reason: .notSupported)
            default: throw StorageError(operation: "fcntl", name: name, errno: errno)
            }
        }
    }

    /// Waits for the calls under way. A second close does nothing.
    func close() throws(StorageError) {
        isClosing.store(true, ordering: .releasing)
        let result = pthread_rwlock_wrlock(lock)
        // Proven: pthread_rwlock(3) fails only for a lock that was not made, or is held by this thread already.
        precondition(result == 0, "pthread_rwlock_wrlock: \(result)")
        defer { pthread_rwlock_unlock(lock) }
        guard number != Self.closed else { return }
        let open = number
        // Before the call: whatever it answers, the number may belong to someone else from now on.
        number = Self.closed
        // A program that another thread is starting holds a copy of the descriptor until its execve(2), and with it the
        // lock.
        if isLocked.load(ordering: .relaxed) { SystemCalls.unlock(open) }
        // close(2) on Linux: "as with other errors that may be reported by close(), the file descriptor is guaranteed
        // to be closed", so an interrupted call is not repeated; what had to be durable was synced before.
        if SystemCalls.close(open) != 0, errno != EINTR {
            throw StorageError(operation: "close", name: name, errno: errno)
        }
    }

    private func closedError(_ operation: String) -> StorageError {
        StorageError(operation: operation, name: name, reason: .stale)
    }
}
