import Pawl
import PawlSystem

/// `--stop` and `--stop-with-process`: when the program is to end by itself.
package struct Aria2Stopping: Sendable {
    private let seconds: Int64?
    private let process: pid_t?
    private let clock = ContinuousClock()

    /// - Returns: nil if nothing of that was asked for.
    package init?(_ options: Aria2Options) {
        seconds = options.number("stop").flatMap { $0 > 0 ? $0 : nil }
        process = options.number("stop-with-process").flatMap { pid_t(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
        guard seconds != nil || process != nil else { return nil }
    }

    /// - Returns: why it is time, as a sentence; nil if the task was cancelled before.
    package func wait() async -> String? {
        let end = seconds.map { clock.now + .seconds($0) }
        while true {
            if let process, kill(process, 0) != 0, errno == ESRCH {
                return "Process \(process) is not running. Commencing shutdown."
            }
            if let seconds, let end, clock.now >= end {
                return "\(seconds) second(s) has passed. Stopping application."
            }
            let next = clock.now + .seconds(1)
            do {
                try await Pause.sleep(for: (end.map { process == nil ? $0 : min($0, next) } ?? next) - clock.now)
            } catch { return nil }
        }
    }
}
