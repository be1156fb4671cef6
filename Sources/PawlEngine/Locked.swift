#if PAWL_THREAD_SANITIZER
import Synchronization

/// The same interface over a spin lock, for runs under the thread sanitizer only.
///
/// On Linux a contended `Mutex` is handed over by the kernel (FUTEX_LOCK_PI), which the sanitizer cannot see, so it
/// reports false races. Every hand-over of this lock is an atomic operation that it does see.
// The value is touched only between the two stores to `isTaken`.
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
    private final class Box {
        var value: Value

        init(_ value: consuming sending Value) { self.value = value }
    }

    private let isTaken = Atomic<Bool>(false)
    private let box: Box

    package init(_ value: consuming sending Value) { box = Box(value) }

    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        while isTaken.exchange(true, ordering: .acquiring) {}
        defer { isTaken.store(false, ordering: .releasing) }
        return try body(&box.value)
    }
}
#else
package import Synchronization

/// A value that is accessed only under its lock.
package typealias Locked<Value> = Mutex<Value>
#endif
