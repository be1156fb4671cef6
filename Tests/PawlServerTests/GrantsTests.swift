import PawlCore
import PawlEngine
import Synchronization
import Testing

@testable import PawlServer

@Suite struct `What is revoked` {
    private let token = AccessToken(text: String(repeating: "x", count: 43))

    private func grant(_ session: String? = nil, generation: Int = 0) -> Grants.Grant {
        Grants.Grant(session: session.map { ExactText($0) }, generation: generation)
    }

    @Test func `S18 ends once, and nothing else with it`() {
        let grants = Grants(token)
        let ended = Locked<[String]>([])
        let holds = [("one", "a"), ("two", "a"), ("other", "b"), ("program", nil)].map { name, session in
            grants.hold(grant(session)) { ended.withLock { $0.append(name) } }
        }
        grants.end(session: ExactText("a"))
        grants.end(session: ExactText("a"))
        #expect(ended.withLock { $0.sorted() } == ["one", "two"])
        #expect(holds.map(\.isValid) == [false, false, true, true])
        holds[2].release()
        grants.end(session: ExactText("b"))
        #expect(ended.withLock { $0.count } == 2)
    }

    @Test func `S18 a token that was renewed while it was being looked at opens nothing`() {
        let grants = Grants(token)
        let ended = Locked(0)
        let hold = grants.hold(grant(generation: token.generation - 1)) { ended.withLock { $0 += 1 } }
        #expect(!hold.isValid)
        #expect(ended.withLock { $0 } == 1)
    }
}
