import Testing

@testable import PawlCore

@Suite("What is remembered of hosts")
struct HostMemoryTests {
    private let one: HTTPURL
    private let same: HTTPURL
    private let other: HTTPURL
    private let otherHost: HTTPURL

    init() throws {
        one = try HTTPURL(parsing: "https://a.example/one?x=1")
        same = try HTTPURL(parsing: "https://a.example/one?x=2")
        other = try HTTPURL(parsing: "https://a.example/other")
        otherHost = try HTTPURL(parsing: "https://b.example/one")
    }

    private func busy(_ seconds: Int64) -> HostObservation { .busy(until: .zero + .seconds(seconds)) }

    private func rest(_ memory: HostMemory, _ url: HTTPURL) -> Duration? {
        memory.hints(for: url, at: .zero, wallClock: 1000).rest.map { $0.until - .zero }
    }

    @Test func `R34 a wait that one path asks for is that path's, and the host's once a second path asks for one`() {
        var memory = HostMemory()
        memory.learn(busy(7200), of: one, at: .zero, wallClock: 1000)
        #expect(rest(memory, one) == .seconds(7200) && rest(memory, same) == .seconds(7200))
        #expect(rest(memory, other) == nil && !memory.isResting(one, wallClock: 1000))
        memory.learn(busy(100), of: same, at: .zero, wallClock: 1000)
        #expect(rest(memory, one) == .seconds(100) && rest(memory, other) == nil)
        memory.learn(busy(60), of: otherHost, at: .zero, wallClock: 1000)
        #expect(rest(memory, other) == nil)
        memory.learn(busy(50), of: other, at: .zero, wallClock: 1000)
        #expect(memory.isResting(one, wallClock: 1000) && !memory.isResting(otherHost, wallClock: 1000))
        #expect(rest(memory, other) == .seconds(50))
        let third = memory.hints(for: other, at: .zero, wallClock: 1060)
        #expect(third.rest == nil)
    }

    @Test func `R34 a wait that is over makes no second path the host's`() {
        var memory = HostMemory()
        memory.learn(busy(10), of: one, at: .zero, wallClock: 1000)
        memory.learn(busy(10), of: other, at: .zero, wallClock: 1011)
        #expect(!memory.isResting(other, wallClock: 1011))
    }

    @Test func `R34 a host that serves, or that somebody wants to hear from at once, rests no longer`() {
        var asked = HostMemory()
        asked.learn(busy(7200), of: one, at: .zero, wallClock: 1000)
        asked.learn(busy(7200), of: other, at: .zero, wallClock: 1000)
        var served = asked
        served.learn(.serves, of: other, at: .zero, wallClock: 1000)
        #expect(rest(served, other) == nil && !served.isResting(one, wallClock: 1000))
        asked.endRest(of: "a.example:443")
        #expect(rest(asked, one) == nil && rest(asked, other) == nil)
    }

    @Test(arguments: [10, 60, 3600] as [Int64])
    func `R35 each run tries one connection more than its host is remembered to bear`(age: Int64) {
        var memory = HostMemory()
        memory.learn(.connectionCap(1), of: one, at: .zero, wallClock: 1000)
        let hints = memory.hints(for: other, at: .zero, wallClock: 1000 + age)
        #expect(hints.connectionCap == 2 && hints.borne == 1)
    }
}
