import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

/// An exchange that can be handed on at any moment, with the transport, the next handler and the judge as they like.
@Suite struct `Exchanges that are handed on` {
    /// Runs what is submitted when told.
    private final class Steps: WorkExecutor {
        private let waiting = Locked<[@Sendable () -> Void]>([])

        func submit(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

        /// - Returns: false if nothing waited.
        func runOne() -> Bool {
            let work = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            work?()
            return work != nil
        }
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }

        /// Returns the former value.
        @discardableResult
        func count(_ step: Int = 1) -> Int { count.add(step, ordering: .relaxed).oldValue }
    }

    /// A transport: a head, parts of a body as far as they are asked for, an end.
    private final class Source: Exchange {
        private struct State {
            var parts: [[UInt8]]
            var hasSentHead = false
            var mayFlow = false
            var isCancelled = false
            var hasEnded = false
            let error: TransportError?
        }

        private let state: Locked<State>
        private let head: ResponseHead

        init(_ parts: [[UInt8]], _ error: TransportError?, _ head: ResponseHead) {
            state = Locked(State(parts: parts, error: error))
            self.head = head
        }

        var hasEnded: Bool { state.withLock { $0.hasEnded } }
        var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func proceed() { state.withLock { $0.mayFlow = true } }

        func cancel() { state.withLock { $0.isCancelled = true } }

        /// The next thing that a transport would say, if it may.
        func step(_ handler: any ExchangeHandler) {
            enum Move {
                case head
                case body([UInt8])
                case end(TransportError?)
            }
            let move = state.withLock { state -> Move? in
                if state.hasEnded { return nil }
                if state.isCancelled {
                    state.hasEnded = true
                    return .end(TransportError(.other, "cancelled"))
                }
                if !state.hasSentHead {
                    state.hasSentHead = true
                    return .head
                }
                guard state.mayFlow else { return nil }
                guard !state.parts.isEmpty else {
                    state.hasEnded = true
                    return .end(state.error)
                }
                state.mayFlow = false
                return .body(state.parts.removeFirst())
            }
            switch move {
            case .head: handler.received(head: head)
            case .body(let bytes):
                if bytes.withUnsafeBytes({ handler.received(body: $0, memory: nil) }) { proceed() }
            case .end(let error): handler.ended(error)
            case nil: break
            }
        }
    }

    /// Hears what is handed on, and objects to what no transport may say.
    private final class Handler: ExchangeHandler {
        struct Heard {
            var heads = 0
            var body: [UInt8] = []
            var ends: [TransportError?] = []
            /// Nothing may come before it has said so.
            var isHeld = false
            var hasCancelled = false
            var faults: [String] = []
        }

        private let heard = Locked(Heard())
        /// Whether a part of a body holds the next.
        private let holds: @Sendable () -> Bool

        init(holds: @escaping @Sendable () -> Bool) { self.holds = holds }

        var state: Heard { heard.withLock { $0 } }

        func received(head: ResponseHead) {
            heard.withLock { heard in
                if heard.heads > 0 || !heard.ends.isEmpty { heard.faults.append("a head out of order") }
                (heard.heads, heard.isHeld) = (heard.heads + 1, true)
            }
        }

        func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool {
            let holds = holds()
            heard.withLock { heard in
                if heard.heads != 1 || !heard.ends.isEmpty { heard.faults.append("a body out of order") }
                if heard.isHeld { heard.faults.append("a body while held") }
                heard.body += body
                heard.isHeld = holds
            }
            return !holds
        }

        func ended(_ error: TransportError?) {
            heard.withLock { heard in
                if error == nil, heard.isHeld { heard.faults.append("an end while held") }
                if error == nil, heard.hasCancelled { heard.faults.append("a good end of a cancelled exchange") }
                heard.ends.append(error)
            }
        }

        func proceed(_ relay: Relay) {
            let isHeld = heard.withLock { heard in
                defer { heard.isHeld = false }
                return heard.isHeld
            }
            if isHeld { relay.proceed() }
        }

        func cancel(_ relay: Relay) {
            heard.withLock { $0.hasCancelled = true }
            relay.cancel()
        }
    }

    private final class Judge: RelayJudge {
        private let wanted: Int?
        let calls = Locked<[String]>([])

        init(wanted: Int?) { self.wanted = wanted }

        func accepts(_ head: ResponseHead) -> Int? { wanted }
        func gathered() { calls.withLock { $0.append("gathered") } }
        func strayed() { calls.withLock { $0.append("strayed") } }
    }

    /// One exchange: its parts, whether it breaks off, and the length that the judge expects.
    private struct Story {
        let parts: [[UInt8]]
        let error: TransportError?
        let wanted: Int?
        var bytes: [UInt8] { parts.flatMap { $0 } }

        init(_ random: inout SplitMix64) {
            parts = (0..<Int(random.next() % 5)).map { part in
                (0..<Int(1 + random.next() % 40)).map { UInt8(truncatingIfNeeded: part &* 40 &+ $0) }
            }
            error = random.next() % 3 == 0 ? TransportError(.truncated, "cut") : nil
            let count = parts.reduce(0) { $0 + $1.count }
            wanted = [nil, count, count, count + 3, max(0, count - 5)][Int(random.next() % 5)]
        }
    }

    private func relay(_ judge: Judge, _ executor: any WorkExecutor) throws -> Relay {
        Relay(
            TransportRequest(url: try HTTPURL(parsing: "http://a.example/f"), fields: []), judge: judge,
            runtime: SimulatedRuntime(seed: 1, now: .zero), executor: executor)
    }

    private static let head = ResponseHead(status: 200, fields: [])

    private func check(_ handler: Handler, _ source: Source, _ story: Story, caughtUp: Int) {
        let heard = handler.state
        #expect(heard.faults.isEmpty)
        #expect(heard.ends.count == 1, "one end")
        #expect(story.bytes.starts(with: heard.body))
        if let end = heard.ends.first, end == nil { #expect(heard.body == story.bytes) }
        if !heard.hasCancelled { #expect(heard.ends.first == .some(story.error) && heard.heads == 1) }
        #expect(source.hasEnded)
        #expect(caughtUp == 1)
    }

    @Test(arguments: 0..<2000 as Range<UInt64>)
    func `the next handler hears everything once and in order, whenever it comes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let story = Story(&random)
        let executor = Steps()
        let judge = Judge(wanted: story.wanted)
        let relay = try relay(judge, executor)
        let source = Source(story.parts, story.error, Self.head)
        let (holdsAt, cancels) = (random.next(), random.next() % 4 == 0)
        let count = Counter()
        let handler = Handler { holdsAt >> UInt64(count.count() % 60) & 1 == 0 }
        let caughtUp = Counter()
        var (isAttached, isHanded) = (false, false)
        var steps = 0
        while handler.state.ends.isEmpty || !isAttached {
            steps += 1
            try #require(steps < 5000, "it does not end")
            switch random.next() % 7 {
            case 0 where !isAttached:
                relay.attach(source)
                isAttached = true
            case 1, 2: source.step(relay)
            case 3 where !isHanded && steps > Int(seed % 30):
                relay.hand(to: handler)
                relay.whenCaughtUp { caughtUp.count() }
                isHanded = true
            case 4, 5: _ = executor.runOne()
            case 6 where isHanded && handler.state.ends.isEmpty:
                if cancels, random.next() % 8 == 0 { handler.cancel(relay) } else { handler.proceed(relay) }
            default: break
            }
        }
        while executor.runOne() {}
        if !source.hasEnded { source.step(relay) }
        check(handler, source, story, caughtUp: caughtUp.value)
        // Not judged any more, a whole body is said to be that at most once.
        #expect(judge.calls.withLock { $0.count { $0 == "gathered" } } <= 1)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `the same on two threads`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let story = Story(&random)
        let executor = Steps()
        let judge = Judge(wanted: story.wanted)
        let relay = try relay(judge, executor)
        let source = Source(story.parts, story.error, Self.head)
        let handler = Handler { true }
        let caughtUp = Counter()
        let delay = Int(random.next() % 200)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                relay.attach(source)
                while !source.hasEnded {
                    source.step(relay)
                    await Task.yield()
                }
            }
            group.addTask {
                for _ in 0..<delay { await Task.yield() }
                relay.hand(to: handler)
                relay.whenCaughtUp { caughtUp.count() }
                while handler.state.ends.isEmpty || executor.runOne() {
                    _ = executor.runOne()
                    handler.proceed(relay)
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        check(handler, source, story, caughtUp: caughtUp.value)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `one that is let go of is closed once, after its end`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let story = Story(&random)
        let relay = try relay(Judge(wanted: story.wanted), Steps())
        let source = Source(story.parts, story.error, Self.head)
        let closed = Counter()
        let caughtUp = Counter()
        let (attachesAt, letsGoAt) = (random.next() % 8, random.next() % 8)
        relay.whenCaughtUp { caughtUp.count() }
        for step in 0..<40 as Range<UInt64> {
            if step == attachesAt { relay.attach(source) }
            if step == letsGoAt { relay.abandon { closed.count() } }
            #expect(closed.value == 0 || source.hasEnded)
            source.step(relay)
        }
        #expect(closed.value == 1)
        #expect(caughtUp.value == 1)
        #expect(source.hasEnded)
    }
}
