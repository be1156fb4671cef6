import PawlCore
import PawlEngine
import Synchronization
import Testing

@testable import PawlServer

@Suite struct `What is revoked` {
    private let token = AccessToken(text: String(repeating: "x", count: 43))

    private func grant(_ cookie: String? = nil, generation: Int = 0) -> Grants.Grant {
        Grants.Grant(
            session: cookie.map { .init(cookie: ExactText($0), proof: ExactText("\($0) and key")) },
            generation: generation)
    }

    @Test func `S18 ends once, and nothing else with it`() {
        let grants = Grants(token) { _ in true }
        let ended = Locked<[String]>([])
        let holds = [("one", "a"), ("two", "a"), ("other", "b"), ("program", nil)].map { name, session in
            grants.hold(grant(session)) { ended.withLock { $0.append(name) } }
        }
        grants.end(cookie: ExactText("a"))
        grants.end(cookie: ExactText("a"))
        #expect(ended.withLock { $0.sorted() } == ["one", "two"])
        #expect(holds.map(\.isValid) == [false, false, true, true])
        holds[2].release()
        grants.end(cookie: ExactText("b"))
        #expect(ended.withLock { $0.count } == 2)
    }

    @Test func `S18 a token that was renewed while it was being looked at opens nothing`() {
        let grants = Grants(token) { _ in true }
        let ended = Locked(0)
        let hold = grants.hold(grant(generation: token.generation - 1)) { ended.withLock { $0 += 1 } }
        #expect(!hold.isValid)
        #expect(ended.withLock { $0 } == 1)
    }

    @Test func `S31 a session that ends while a request of it is answered holds nothing`() {
        let stored = Locked<Set<ExactText>>([ExactText("a and key"), ExactText("b and key")])
        let ended = Locked<[String]>([])
        let grants = Grants(token) { session in stored.withLock { $0.contains(session.proof) } }
        func hold(_ cookie: String) -> Grants.Hold {
            grants.hold(grant(cookie)) { ended.withLock { $0.append(cookie) } }
        }
        let first = hold("a")
        // The order of a log-out: whatever is made between its two steps, or after them, is ended by one of both.
        _ = stored.withLock { $0.remove(ExactText("a and key")) }
        let between = hold("a")
        #expect(!between.isValid && first.isValid)
        grants.end(cookie: ExactText("a"))
        let late = hold("a")
        #expect(!first.isValid && !late.isValid)
        #expect(ended.withLock { $0 } == ["a", "a", "a"])
        #expect(hold("b").isValid)
    }

    @Test func `S31 a log-out that comes while a hold is being made ends it once`() {
        let ended = Locked(0)
        let box = Locked<Grants?>(nil)
        let grants = Grants(token) { session in
            // Both see the hold.
            box.withLock { $0 }?.end(cookie: session.cookie)
            return false
        }
        box.withLock { $0 = grants }
        let hold = grants.hold(grant("a")) { ended.withLock { $0 += 1 } }
        #expect(!hold.isValid)
        #expect(ended.withLock { $0 } == 1)
        box.withLock { $0 = nil }
    }
}
