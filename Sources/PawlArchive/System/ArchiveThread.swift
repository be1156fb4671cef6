internal import PawlEngine
internal import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether a task was cancelled, for work on a thread that is none of a task's.
package final class CancellationFlag: Sendable {
    private let isSet = Atomic(false)

    package init() {}

    package func set() { isSet.store(true, ordering: .releasing) }

    package var isCancelled: Bool { isSet.load(ordering: .acquiring) }

    /// - Throws: `CancellationError`.
    package func check() throws {
        if isCancelled { throw CancellationError() }
    }
}

/// Work that blocks gets a thread of its own: reading and compressing for minutes would starve the tasks of the process.
package enum ArchiveThread {
    /// Waits for `body` to return. Cancelling the task sets the flag and still waits.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job {
                    continuation.resume(with: Swift.Result { try body(flag) })
                }
                let box = Unmanaged.passRetained(job)
                let code = start(box.toOpaque())
                guard code != 0 else { return }
                // Nobody else will: the thread was to.
                box.release()
                continuation.resume(
                    throwing: ArchiveError(.diskError, "There is no thread for the work: \(SystemCalls.text(of: code)). Try again later."))
            }
        } onCancel: {
            flag.set()
        }
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Compressors keep large things on the heap, but several parsers lie on the stack: the main thread's usual size.
    private static let stackSize = 8 << 20

    /// A thread that nobody joins. Zero on success.
    private static func start(_ argument: UnsafeMutableRawPointer) -> Int32 {
        var attributes = pthread_attr_t()
        let code = pthread_attr_init(&attributes)
        guard code == 0 else { return code }
        defer { pthread_attr_destroy(&attributes) }
        // What fails here leaves the system's default, which does as well.
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
        var thread: pthread_t?
        return pthread_create(&thread, &attributes, { ArchiveThread.perform($0) }, argument)
        #else
        var thread = pthread_t()
        return pthread_create(&thread, &attributes, { $0.flatMap { ArchiveThread.perform($0) } }, argument)
        #endif
    }

    private static func perform(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}
