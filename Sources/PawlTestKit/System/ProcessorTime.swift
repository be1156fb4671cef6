import PawlSystem

/// The processor time that `body` takes on this thread, which a busy machine does not stretch.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let began = threadProcessorTime()
    try body()
    return threadProcessorTime() - began
}

private func threadProcessorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}
