import CPawl

#if os(Linux)
/// The tasks of Swift's concurrency, for a program that runs them on threads of its own.
extension SystemCalls {
    /// Hands over each part of a task that is ready. To be called before the first task.
    ///
    /// - Returns: false where the runtime cannot; it runs them itself then.
    package static func takeTasks(_ take: @convention(c) (UnsafeMutableRawPointer?) -> Void) -> Bool {
        pawl_take_tasks(take) != 0
    }

    /// Runs one part of a task, which must not run again.
    package static func runTask(_ job: UnsafeMutableRawPointer?) { pawl_run_task(job) }
}
#endif
