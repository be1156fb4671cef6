import Pawl
import PawlSystem

/// The threads that all tasks of the program run on.
///
/// The pool of the system's runtime starts threads for its timers and its bookkeeping, and where it cannot have one it
/// waits for it, without an end. These start when a task finds none that is idle, and fewer of them do.
enum TaskThreads {
    /// The threads of tasks. Some tasks block, on a small file or on a question at the terminal; most of their parts
    /// are over at once.
    private static let threads = ThreadExecutor(threads: 4, patience: .milliseconds(5))

    /// Starts the threads. Call it before the first task.
    static func begin() throws(ThreadShortage) {
        #if os(Linux)
        try threads.startOne()
        let isTaken = SystemCalls.takeTasks { job in
            // Such a pointer may go to another thread, though its type does not say so.
            let job = UInt(bitPattern: job)
            TaskThreads.threads.submit { SystemCalls.runTask(UnsafeMutableRawPointer(bitPattern: job)) }
        }
        if isTaken { Pause.use(threads) }
        #endif
    }
}
