import Testing

@testable import PawlCore

@Suite("A pause or cancel during work on the files")
struct InterruptionTests {
    private static let orders: [([DownloadEvent], DownloadMachine.Interruption)] = [
        ([.pause], .pause), ([.cancel], .cancel), ([.pause, .cancel], .cancel), ([.cancel, .pause], .cancel),
    ]

    /// A download that has received its ten bytes and is verifying their digest.
    private func verifying() throws -> MachineBench {
        let digest = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)))
        var bench = try MachineBench { $0.digest = digest }
        bench.answersFiles = false
        bench.send(.begin)
        bench.answerPart(0..<10, of: 10)
        bench.send(.prepared(.ready))
        bench.deliver(to: 10)
        return bench
    }

    @Test(arguments: orders)
    func `an interruption during verification takes effect only if bytes have to be fetched again`(
        events: [DownloadEvent], interruption: DownloadMachine.Interruption
    ) throws {
        var whole = try verifying()
        for event in events { whole.send(event) }
        #expect(whole.phase == .verifying(interruption))
        var damaged = whole
        whole.send(.verified(.passed()))
        whole.send(.finished)
        #expect(whole.phase == .completed(.init(isComplete: true, isVerified: true)))
        damaged.send(.verified(.damaged([ByteRange(5..<10)])))
        #expect(damaged.phase == .saving(interruption == .pause ? .pause : .cancel))
        damaged.send(.checkpointed(took: .milliseconds(5)))
        #expect(damaged.phase == (interruption == .pause ? .paused : .cancelled))
        #expect(damaged.asks.count == 1 && damaged.machine.written == RangeSet(ByteRange(0..<5)))
    }

    @Test func `without an interruption, damaged bytes are fetched again`() throws {
        var bench = try verifying()
        #expect(bench.phase == .verifying(nil))
        bench.send(.verified(.damaged([ByteRange(5..<10)])))
        #expect(bench.phase == .fetching && bench.asks.count == 2)
    }

    @Test(arguments: orders)
    func `an interruption while the partial file is set aside replaces the new start`(
        events: [DownloadEvent], interruption: DownloadMachine.Interruption
    ) throws {
        var bench = try MachineBench {
            $0.onChange = .restart
            $0.maximumConnections = 1
        }
        bench.answersFiles = false
        bench.send(.begin)
        bench.answerPart(0..<1000, of: 1000)
        bench.send(.prepared(.ready))
        bench.advance(to: 400)
        bench.cut()
        try bench.nextAsk()
        bench.answerPart(400..<900, of: 900, tag: "\"other\"")
        while bench.phase == .fetching {
            bench.answerPart(400..<900, of: 900, tag: "\"other\"")
            bench.wait(.milliseconds(50))
        }
        #expect(bench.phase == .settingAside(nil))
        for event in events { bench.send(event) }
        #expect(bench.phase == .settingAside(interruption))
        bench.send(.setAside)
        #expect(bench.phase == (interruption == .pause ? .paused : .cancelled))
        #expect(bench.machine.written.isEmpty && bench.faults.isEmpty)
    }
}
