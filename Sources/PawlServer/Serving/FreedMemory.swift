import NIOPosix
import PawlEngine
import PawlSystem
import Synchronization

/// Gives memory back to the system after large messages and answers: the allocator would keep it.
enum FreedMemory {
    /// A message or an answer from this size on is large, in bytes.
    static let large = 256 << 10

    private static let isDue = Locked(false)

    /// Schedules one return for everything that is freed within a second.
    static func giveBackSoon() {
        let isNew = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isNew else { return }
        Task {
            try? await Task.sleep(for: .seconds(1))
            isDue.withLock { $0 = false }
            try? await NIOThreadPool.singleton.runIfActive { SystemCalls.returnFreedMemory() }
        }
    }
}
