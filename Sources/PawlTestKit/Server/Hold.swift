import PawlEngine
import Synchronization

/// Keeps a server from sending the rest of a file, however late a test looks, until it ends.
package final class Hold: Sendable {
    private let isOver = Locked(false)

    package init() {}

    package func stall(afterBytes count: Int) -> FileBehaviour.Stall {
        FileBehaviour.Stall(afterBytes: count) { self.isOver.withLock { $0 } }
    }

    package func end() { isOver.withLock { $0 = true } }
}
