import Pawl
import PawlAria2
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// Tells the sessions of the RPC which downloads have started, paused, stopped, completed or failed, each once.
final class RPCNotifier: Sendable {
    /// Takes a notification, which is a message; nothing, if the session may not have it.
    typealias Listener = @Sendable (String) -> Void

    typealias Observer = @Sendable (Aria2Event, _ id: String) -> Void

    private struct State {
        var listeners: [UInt64: Listener] = [:]
        var next: UInt64 = 0
        /// The last notification about each job, while there are sessions.
        var notified: [ExactText: Told] = [:]
        /// The time from which ends are news; nil while all are.
        var horizon: NewsHorizon?
    }

    private enum Told: Hashable { case started, paused, ended }

    private let hub: EventHub
    private let store: Store
    private let state = Locked(State())
    /// Receives every notification, whether there are sessions or not.
    private let observer: Observer?

    init(_ hub: EventHub, _ store: Store, observer: Observer? = nil) {
        (self.hub, self.store, self.observer) = (hub, store, observer)
        if observer != nil { hub.enter() }
        hub.listen { [weak self] in self?.take($0) }
    }

    /// - Returns: to end it by.
    func enter(_ listener: @escaping Listener) async -> UInt64 {
        hub.enter()
        var query = JobQuery()
        query.states = Aria2.active
        // Those have been told to whoever was there.
        let running = (try? store.ids(query)) ?? []
        return state.withLock { state in
            if state.listeners.isEmpty, observer == nil {
                state.horizon = NewsHorizon(wall: LiveRuntime.wallClockMilliseconds, now: .now)
                state.notified = Dictionary(running.map { (ExactText($0), .started) }) { first, _ in first }
            }
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    func leave(_ number: UInt64) {
        hub.leave()
        state.withLock { $0.listeners[number] = nil }
    }

    /// Tells what has ended since the feed was stopped.
    func tellEnds() {
        let started = state.withLock { state in state.notified.filter { $0.value == .started }.keys }
        for id in started {
            guard let job = (try? store.job(id.text)) ?? nil, job.state.hasEnded else { continue }
            let events = state.withLock { Self.events(.put(job), &$0) }
            for (event, id) in events { observer?(event, id) }
        }
    }

    private func take(_ changes: [EventHub.FeedChange]) {
        let (events, listeners) = state.withLock { state in
            guard !state.listeners.isEmpty || observer != nil else { return ([(Aria2Event, String)](), [Listener]()) }
            state.horizon?.look(wall: LiveRuntime.wallClockMilliseconds, now: .now)
            return (changes.flatMap { Self.events($0.change, &state) }, Array(state.listeners.values))
        }
        for (event, id) in events {
            observer?(event, id)
            let text =
                ([
                    "jsonrpc": "2.0", "method": .string("aria2.on\(event.rawValue)"),
                    "params": [["gid": .string(GID(of: id).text)]],
                ] as JSONValue).encoded
            for listener in listeners { listener(text) }
        }
    }

    private static func events(_ change: Store.Feed.Change, _ state: inout State) -> [(Aria2Event, String)] {
        switch change {
        case .settings: return []
        case .removed(let id):
            let wasRunning = state.notified.removeValue(forKey: ExactText(id)) == .started
            return wasRunning ? [(.stopped, id)] : []
        case .put(let job):
            let last = state.notified[ExactText(job.id)]
            func tell(_ fresh: Told, _ events: Aria2Event...) -> [(Aria2Event, String)] {
                state.notified[ExactText(job.id)] = fresh
                return events.map { ($0, job.id) }
            }
            switch job.state {
            case .queued: return []
            case .running, .waiting: return last == .started ? [] : tell(.started, .started)
            // Of those that ran, as in aria2.
            case .paused: return last == .started ? tell(.paused, .paused) : []
            case .completed, .failed:
                guard last != .ended, job.ended ?? 0 >= state.horizon?.since ?? 0 else { return [] }
                let end: Aria2Event = job.state == .completed ? .completed : .failed
                return last == .started ? tell(.ended, end) : tell(.ended, .started, end)
            }
        }
    }
}
