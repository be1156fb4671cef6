/// A thread for one piece of work that blocks, and that nobody joins.
package enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// - Returns: false where the system has no thread left; then `body` is not called.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Work(body))
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        guard pthread_create(&thread, nil, { DetachedThread.main($0) }, context.toOpaque()) == 0 else {
            // Nobody else will: the thread was to.
            context.release()
            return false
        }
        #if canImport(Glibc)
        pthread_detach(thread)
        #else
        if let thread { pthread_detach(thread) }
        #endif
        return true
    }

    /// Whether so many can be started in addition to those that run. They are started for it, and end.
    package static func canStart(_ count: Int) -> Bool {
        let isOver = Monitor(false)
        defer {
            isOver.withLock { $0 = true }
            isOver.wakeAll()
        }
        return (0..<count).allSatisfy { _ in
            start { isOver.wait { $0 ? .done(()) : .wait(atMost: nil) } }
        }
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
}
