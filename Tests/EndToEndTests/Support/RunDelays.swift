import Foundation

/// How long a program's threads were runnable but not running, according to Linux (proc_pid_schedstat(5)). Elsewhere
/// the delay is unknown and counts as none.
struct RunDelays {
    private var first: [String: Int64] = [:]
    private var last: [String: Int64] = [:]

    /// Samples the threads. A thread that has ended keeps its last sample.
    mutating func look(at processID: String) {
        let threads = "/proc/\(processID)/task"
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? [] {
            guard let text = try? String(contentsOfFile: "\(threads)/\(thread)/schedstat", encoding: .utf8) else {
                continue
            }
            let words = text.split { $0 == " " || $0 == "\n" }
            guard words.count > 1, let nanoseconds = Int64(words[1]) else { continue }
            if first[thread] == nil { first[thread] = nanoseconds }
            last[thread] = nanoseconds
        }
    }

    /// The delay of each thread since its first sample.
    private var delays: [Duration] {
        last.map { thread, nanoseconds in .nanoseconds(nanoseconds - (first[thread] ?? 0)) }
    }

    /// The delays of a program and of the process that serves it.
    struct Account: Sendable {
        /// The delay of the program's most delayed thread.
        var longest: Duration
        /// The delays of all threads of the program and of the server's most delayed thread, added up as if one came
        /// after the other.
        var total: Duration
        /// False if the system does not account delays.
        var isKnown: Bool

        init(_ program: RunDelays, servedBy server: RunDelays) {
            let served = server.delays.max() ?? .zero
            longest = program.delays.max() ?? .zero
            total = program.delays.reduce(served, +)
            isKnown = !program.last.isEmpty && !server.last.isEmpty
        }
    }

    /// Returns the result of `body`, and the delays of the started program and of this process while it runs.
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
