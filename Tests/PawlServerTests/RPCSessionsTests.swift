import PawlEngine
import Synchronization
import Testing

@testable import PawlServer

@Suite final class `Places of sessions without a token`: Sendable {
    private let sessions = RPCSessions()
    private let ended = Locked<[String]>([])

    private func client(_ address: String, _ origin: String? = nil) -> ClientIdentity {
        ClientIdentity(peer: .address(address), origin: origin)
    }

    /// - Returns: nil for a session that is refused.
    @discardableResult
    private func enter(
        _ name: String, _ kind: RPCSessions.Kind = .foreign, _ address: String = "127.0.0.1", _ origin: String? = nil
    ) -> RPCSessions.Place? {
        sessions.enter(kind, client(address, origin)) { self.ended.withLock { $0.append(name) } }
    }

    /// The names of the sessions that had to make way since the last look.
    private func displaced() -> [String] {
        ended.withLock { names in
            defer { names = [] }
            return names
        }
    }

    private func fill(_ address: String, _ origin: String?, _ kind: RPCSessions.Kind = .foreign) {
        for number in 0..<RPCSessions.maximum { enter("\(number)", kind, address, origin) }
    }

    @Test func `S27 a page that takes all places loses them to other pages, and gets no more itself`() {
        fill("127.0.0.1", "https://evil.example")
        #expect(enter("own", .foreign, "127.0.0.1", "https://ariang.example") != nil)
        #expect(displaced() == ["0"])
        #expect(enter("more", .foreign, "127.0.0.1", "https://evil.example") == nil)
        #expect(enter("again", .foreign, "127.0.0.1", "https://ariang.example") != nil)
        #expect(displaced() == ["1"])
        // Neither does another kind.
        #expect(enter("program", .local) != nil)
        #expect(displaced() == [])
    }

    @Test(arguments: [RPCSessions.Kind.local, .foreign])
    func `S27 among programs that name no origin, the oldest makes way`(_ kind: RPCSessions.Kind) {
        fill("127.0.0.1", nil, kind)
        for number in 0..<100 {
            #expect(enter("new", kind) != nil)
            #expect(displaced() == [number < 64 ? "\(number)" : "new"])
        }
    }

    @Test func `S27 one address with many origins takes no place of other addresses`() {
        enter("own", .foreign, "192.0.2.1", "https://ariang.example")
        for number in 0..<63 { enter("\(number)", .foreign, "192.0.2.66", "https://\(number).evil.example") }
        for number in 0..<200 { enter("late \(number)", .foreign, "192.0.2.66", "https://late-\(number).evil.example") }
        let gone = displaced()
        #expect(gone.count == 200 && !gone.contains("own"))
        #expect(gone.prefix(2) == ["0", "1"])
    }

    @Test func `S27 an IPv6 network of 64 bits is one address`() {
        enter("own", .foreign, "2001:db8:1::1")
        for number in 1...63 { enter("\(number)", .foreign, "2001:db8:2::\(number)") }
        enter("more", .foreign, "2001:db8:2::ffff:1")
        #expect(displaced() == ["1"])
    }

    @Test func `S27 of many parties with one place each, the oldest makes way`() {
        for number in 0..<64 { enter("\(number)", .foreign, "192.0.2.\(number)") }
        #expect(enter("new", .foreign, "198.51.100.1") != nil)
        #expect(enter("another", .foreign, "192.0.2.63", "https://ariang.example") != nil)
        #expect(displaced() == ["0", "63"])
    }

    @Test func `S27 places come back once`() throws {
        let places = try (0..<64).map { try #require(enter("\($0)")) }
        sessions.leave(places[10])
        sessions.leave(places[10])
        enter("new")
        #expect(displaced() == [])
        enter("newer")
        #expect(displaced() == ["0"])
        // The session that had to make way ends, and gives back what it no longer has.
        sessions.leave(places[0])
        enter("newest")
        #expect(displaced() == ["1"])
    }
}
