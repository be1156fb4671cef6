import PawlSystem

/// A lock and a condition to wait for with it (pthread_cond_wait(3)): for threads of our own that wait for each other,
/// as tasks must not.
final class Monitor: @unchecked Sendable {  // What it points to is made for being used by several threads.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` alone.
    func locked<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Within ``locked(_:)``: lets the others go on until one of them wakes; then look again whether what was waited
    /// for is there.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// Within ``locked(_:)``: all that wait look again.
    func wake() { pthread_cond_broadcast(condition) }
}

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

    /// Of the processors that are there, how many may be used for one archive.
    static var usualCount: Int { min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
