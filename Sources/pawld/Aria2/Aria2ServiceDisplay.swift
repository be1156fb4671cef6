import PawlAria2
import PawlCore
import PawlEngine
import PawlJobs
import PawlServer
import Synchronization

/// Tells at the console what happens to the downloads of the service, and runs the programs that wait for it.
final class Aria2ServiceDisplay: Sendable {
    private struct State {
        var results: Aria2Results
        /// The hooks that run, by numbers of their own.
        var hooks: [Int: Task<Void, Never>] = [:]
        var nextHook = 0
    }

    private let options: Aria2Options
    private let console: Aria2Console
    private let reports: Aria2Reports
    private let hooks: Aria2Hooks
    private let state: Locked<State>

    init(_ options: Aria2Options, _ console: Aria2Console) {
        (self.options, self.console) = (options, console)
        state = Locked(
            State(results: Aria2Results(limit: Int(clamping: options.number("max-download-result") ?? 1000))))
        reports = Aria2Reports(options, console)
        hooks = Aria2Hooks(options, console)
    }

    func handle(_ event: Aria2Event, _ facts: Aria2Facts) {
        let known = facts.path ?? facts.url
        switch event {
        case .started: run(.started, facts)
        case .paused: run(.paused, facts)
        case .completed:
            console.log(.notice, Aria2Log.complete(known))
            ended(facts, .complete, .completed)
        case .failed:
            console.log(.error, Aria2Log.aborted(facts.url, facts.errorCode, facts.message))
            console.log(.notice, Aria2Log.incomplete(facts.gid, known))
            ended(facts, .failed(facts.errorCode), .failed)
        case .stopped: ended(facts, .removed, .stopped)
        }
    }

    private func ended(_ facts: Aria2Facts, _ end: Aria2Results.End, _ hook: Aria2Event) {
        let row = Self.row(facts, end)
        state.withLock { $0.results.append(row) }
        run(hook, facts)
    }

    private func run(_ event: Aria2Event, _ facts: Aria2Facts) {
        guard let hook = hooks.run(event, facts.gid, facts.path ?? "") else { return }
        state.withLock { state in
            let number = state.nextHook
            state.nextHook += 1
            state.hooks[number] = Task {
                await hook.value
                self.state.withLock { $0.hooks[number] = nil }
            }
        }
    }

    private static func row(_ facts: Aria2Facts, _ end: Aria2Results.End) -> Aria2Results.Row {
        let speed = facts.seconds.flatMap { $0 > 0 ? Int64(saturating: Double(facts.stored) / $0) : nil }
        let percentage = facts.total.flatMap { $0 > 0 ? 100 * min(facts.stored, $0) / $0 : nil }
        return Aria2Results.Row(
            gid: facts.gid, end: end, speed: speed, percentage: percentage, path: facts.path ?? facts.url)
    }

    func draw(_ running: [Aria2Readout.Running], second: Int64) { reports.draw(running, second: second) }

    func note(unfinished: [Aria2Facts]) {
        let rows = unfinished.map { Self.row($0, .unfinished) }
        state.withLock { state in for row in rows { state.results.append(row) } }
    }

    func note(_ failure: Aria2Failure, of download: Aria2Invocation.Download) {
        console.log(.error, Aria2Text.shown(failure.message))
        state.withLock { $0.results.append(download.row(failure)) }
    }

    /// - Returns: the exit status.
    func finish() async -> Int {
        let (results, hooks) = state.withLock { ($0.results, $0.hooks) }
        for hook in hooks.values { await hook.value }
        reports.show(results)
        return results.exitStatus
    }
}
