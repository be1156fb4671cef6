package import PawlCore
import Synchronization

/// The host memory of downloads without a pool: read at the start, written after each download that learned something.
package final class HostMemoryKeeper: Sendable {
    private let file: HostMemoryFile
    private let runtime: any Runtime
    /// The executor of the saves: one after the other, as they share a file.
    private let executor: any WorkExecutor
    private let memory: Locked<HostMemory>

    /// Reads the file, so it blocks.
    package init(_ file: HostMemoryFile, runtime: any Runtime) {
        self.file = file
        self.runtime = runtime
        executor = runtime.makeSyncExecutor()
        memory = Locked(file.load(wallClock: runtime.secondsSinceEpoch))
    }

    package func hints(for url: HTTPURL) -> HostHints {
        memory.withLock { $0.hints(for: url, at: runtime.now, wallClock: runtime.secondsSinceEpoch) }
    }

    package func learn(_ observation: HostObservation, of url: HTTPURL) {
        memory.withLock { $0.learn(observation, of: url, at: runtime.now, wallClock: runtime.secondsSinceEpoch) }
    }

    /// Calls `done` once what was learned is in the file, and at once where nothing was.
    package func save(then done: @escaping @Sendable () -> Void) {
        let changed = memory.withLock { memory -> HostMemory? in
            guard memory.isDirty else { return nil }
            memory.isDirty = false
            return memory
        }
        guard let changed else { return done() }
        executor.submit { [file, runtime] in
            file.save(changed, wallClock: runtime.secondsSinceEpoch, random: runtime.random())
            done()
        }
    }
}
