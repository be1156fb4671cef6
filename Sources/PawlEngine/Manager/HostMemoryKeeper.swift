package import PawlCore
import Synchronization

/// What hosts taught, for downloads without a pool: read when the first one asks, written when one has ended that learned something.
package final class HostMemoryKeeper: Sendable {
    private struct State {
        var memory: HostMemory?
    }

    private let file: HostMemoryFile
    private let runtime: any Runtime
    private let state = Locked(State())

    package init(_ file: HostMemoryFile, runtime: any Runtime) {
        self.file = file
        self.runtime = runtime
    }

    private func withMemory<Value>(_ body: (inout HostMemory) -> Value) -> Value {
        state.withLock { state in
            var memory = state.memory ?? file.load(wallClock: runtime.secondsSinceEpoch)
            defer { state.memory = memory }
            return body(&memory)
        }
    }

    package func hints(for url: HTTPURL) -> HostHints {
        withMemory { $0.hints(for: url, at: runtime.now, wallClock: runtime.secondsSinceEpoch) }
    }

    package func learn(_ lesson: HostLesson, of url: HTTPURL) {
        withMemory { $0.learn(lesson, of: url, at: runtime.now, wallClock: runtime.secondsSinceEpoch) }
    }

    /// Nothing is written where nothing was learned. Blocks.
    package func save() {
        let memory = state.withLock { state -> HostMemory? in
            guard var memory = state.memory, memory.isDirty else { return nil }
            memory.isDirty = false
            state.memory = memory
            return memory
        }
        if let memory { file.save(memory, wallClock: runtime.secondsSinceEpoch) }
    }
}
