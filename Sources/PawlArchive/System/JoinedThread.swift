import PawlSystem

/// A thread that is waited for by whoever started it.
struct JoinedThread {
    private final class Job: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let thread: pthread_t

    /// - Returns: nil if the system has no thread left.
    init?(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Job(body))
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        guard pthread_create(&thread, nil, { JoinedThread.main($0) }, context.toOpaque()) == 0 else {
            context.release()
            return nil
        }
        #if canImport(Glibc)
        self.thread = thread
        #else
        guard let thread else { return nil }
        self.thread = thread
        #endif
    }

    /// Returns when the thread has ended. Once.
    func join() { pthread_join(thread, nil) }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }

    /// The number of threads used for one archive, by the number of processors.
    static var usualCount: Int { min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
