import Foundation

/// How long the threads of a program were ready to run and not let run, by Linux's own account (proc_pid_schedstat(5)).
/// Elsewhere nothing is known of it, and it counts as none.
struct RunDelays {
    private var first: [String: Int64] = [:]
    private var last: [String: Int64] = [:]

    /// Looks again. Threads that have ended keep what was last seen of them.
    mutating func look(at processID: String) {
        let threads = "/proc/\(processID)/task"
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? [] {
            guard let text = try? String(contentsOfFile: "\(threads)/\(thread)/schedstat", encoding: .utf8) else { continue }
            let words = text.split { $0 == " " || $0 == "\n" }
            guard words.count > 1, let nanoseconds = Int64(words[1]) else { continue }
            if first[thread] == nil { first[thread] = nanoseconds }
            last[thread] = nanoseconds
        }
    }

    /// Of each thread, since it was first looked at.
    private var delays: [Duration] {
        last.map { thread, nanoseconds in .nanoseconds(nanoseconds - (first[thread] ?? 0)) }
    }

    /// Of a program that another one serves.
    struct Account: Sendable {
        /// Of the program's thread that had to wait longest.
        var longest: Duration
        /// Of all threads of the program, and of the one that may have served it: what they may have lost, one after
        /// the other.
        var total: Duration
        /// False where the system keeps no such account.
        var isKnown: Bool

        init(_ program: RunDelays, servedBy server: RunDelays) {
            let served = server.delays.max() ?? .zero
            longest = program.delays.max() ?? .zero
            total = program.delays.reduce(served, +)
            isKnown = !program.last.isEmpty && !server.last.isEmpty
        }
    }

    /// What `body` returns, and the delays of the program that was started, and of this one, while it runs.
    static func during<Value: Sendable>(
        _ processID: Int32, _ body: @Sendable () async throws -> Value
    ) async throws -> (Value, Account) {
        let watch = Task {
            var (own, other) = (RunDelays(), RunDelays())
            while !Task.isCancelled {
                own.look(at: "self")
                other.look(at: "\(processID)")
                try? await Task.sleep(for: .milliseconds(20))
            }
            return Account(other, servedBy: own)
        }
        defer { watch.cancel() }
        let value = try await body()
        watch.cancel()
        return (value, await watch.value)
    }
}
