import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

@Suite("A broadcast, for readers of any pace", .timeLimit(.minutes(2)))
struct BroadcastTests {
    private typealias Numbers = Broadcast<Int, Int, Int>

    /// A reader that keeps all news, and says of any two what a slow one may leave out.
    private struct Account {
        var states: [Int: Int] = [:]
        var events: [Int] = []
        var missed = 0

        mutating func hear(_ news: [Numbers.News]) {
            for one in news {
                switch one {
                case .state(let key, let state): states[key] = state
                case .event(let event): events.append(event)
                case .missed(let count): missed += count
                }
            }
        }
    }

    @Test(arguments: 0..<200)
    func `readers of any pace end with the same states, all kept events, and a true count of others`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        let broadcast = Numbers()
        let readers = (0..<3).map { _ in broadcast.makeReader() }
        var heard = [Account](repeating: Account(), count: 3)
        var (states, kept, events): ([Int: Int], [Int], Int) = ([:], [], 0)
        for number in 0..<Int(random.next() % 12_000) {
            let key = Int(random.next() % 20)
            switch random.next() % 100 {
            case ..<30:
                states[key] = number
                broadcast.publish(.state(key, number))
            case ..<32:
                states[key] = nil
                events += 1
                broadcast.publish(.removal(key, -1))
            case ..<34:
                kept.append(number)
                broadcast.publish(.kept(number, parting: key))
            default:
                events += 1
                broadcast.publish(.event(-2))
            }
            // The first reads at once, the second now and then, the third at the end.
            heard[0].hear(readers[0].take())
            if random.next() % 500 == 0 { heard[1].hear(readers[1].take()) }
        }
        for index in 0..<3 { heard[index].hear(readers[index].take()) }
        for one in heard {
            #expect(one.states.filter { states[$0.key] != nil } == states)
            #expect(one.events.filter { $0 >= 0 } == kept)
            #expect(one.events.count - kept.count + one.missed == events)
        }
        #expect(heard[0].missed == 0)
        #expect(heard[2].events.count - kept.count <= Numbers.maximumWaiting)
        #expect(readers.allSatisfy { $0.take().isEmpty })
    }

    @Test func `a state stands where the first unread one stood, unless an event parts them`() {
        let broadcast = Numbers()
        let reader = broadcast.makeReader()
        broadcast.publish([.state(1, 10), .event(0), .state(2, 20), .state(1, 11), .kept(1, parting: 2), .state(2, 21)])
        let words = reader.take().map { "\($0)" }
        #expect(words == ["state(1, 11)", "event(0)", "state(2, 20)", "event(1)", "state(2, 21)"])
    }

    @Test func `the unread state of a key that is gone goes unread`() {
        let broadcast = Numbers()
        let reader = broadcast.makeReader()
        broadcast.publish([.state(1, 10), .removal(1, 5), .state(1, 12)])
        #expect(reader.take().map { "\($0)" } == ["event(5)", "state(1, 12)"])
    }

    @Test func `a reader begins with its opening, and ends with the broadcast or its own task`() async {
        let broadcast = Numbers()
        let reader = broadcast.makeReader(after: [.state(1, 10), .kept(3)])
        #expect(await reader.next(pause: {})?.count == 2)
        let waiting = (0..<2).map { _ in Task { await reader.next(pause: {}) } }
        waiting[0].cancel()
        #expect(await waiting[0].value == nil)
        broadcast.publish(.event(4))
        #expect(await waiting[1].value?.count == 1)
        let last = Task { await reader.next(pause: {}) }
        broadcast.finish()
        #expect(await last.value == nil)
        let late = broadcast.makeReader(after: [.state(1, 1)])
        #expect(await late.next(pause: {})?.count == 1)
        #expect(await late.next(pause: {}) == nil)
    }

    @Test func `readers of one reader share its news, and take what the other has left`() async {
        let broadcast = Numbers()
        let reader = broadcast.makeReader()
        broadcast.publish((1...4).map { .event($0) })
        #expect(await reader.nextOne(pause: {}).map { "\($0)" } == "event(1)")
        #expect(await reader.nextOne(pause: {}).map { "\($0)" } == "event(2)")
        broadcast.publish(.event(5))
        #expect(reader.take().map { "\($0)" } == ["event(3)", "event(4)", "event(5)"])
        broadcast.finish()
        #expect(await reader.nextOne(pause: {}) == nil)
    }

    @Test func `a reader of many news lets more gather before it reads on`() async {
        let broadcast = Numbers()
        let reader = broadcast.makeReader()
        for number in 0..<201 { broadcast.publish(.event(number)) }
        #expect(await reader.next(pause: { Issue.record("paused before it had read many") })?.count == 201)
        let news = await reader.next { for number in 0..<3 { broadcast.publish(.event(number)) } }
        #expect(news?.count == 3)
    }
}
