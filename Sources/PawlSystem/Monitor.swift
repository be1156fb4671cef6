#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value behind a lock, and the threads that sleep until it has changed (pthread_cond_wait(3)).
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    /// The outcome of a look at the value.
    package enum Look<Result> {
        case done(Result)
        /// Look again once woken, and after this long at the latest.
        case wait(atMost: Duration?)
    }

    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Looks at the value, under the lock, until a look is the last.
    package func wait<Result>(_ look: (inout State) -> Look<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch look(&state) {
            case .done(let result): return result
            case .wait(nil): pthread_cond_wait(condition, mutex)
            case .wait(let duration?): wait(atMost: duration)
            }
        }
    }

    private func wait(atMost duration: Duration) {
        // A day is as good as longer, and the sum must not overflow.
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(86_400)).components
        var time = timespec(tv_sec: time_t(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        #if canImport(Darwin)
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        time.tv_sec += now.tv_sec
        time.tv_nsec += now.tv_nsec
        if time.tv_nsec >= 1_000_000_000 {
            (time.tv_sec, time.tv_nsec) = (time.tv_sec + 1, time.tv_nsec - 1_000_000_000)
        }
        pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }

    package func wakeOne() { pthread_cond_signal(condition) }

    package func wakeAll() { pthread_cond_broadcast(condition) }
}
