/// Lets at most a number of tasks work at a time, in the order in which they came; with one permit, a mutex.
package actor AsyncSemaphore {
    private var permits: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(_ permits: Int) { self.permits = permits }

    package func acquire() async {
        if permits > 0 { permits -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    package func release() {
        if waiting.isEmpty { permits += 1 } else { waiting.removeFirst().resume() }
    }

    /// - Throws: what `work` throws, or `CancellationError` if the task was cancelled while it waited.
    package func withPermit<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        await acquire()
        defer { release() }
        try Task.checkCancellation()
        return try await work()
    }
}
