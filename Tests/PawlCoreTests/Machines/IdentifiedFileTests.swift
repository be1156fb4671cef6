import Testing

@testable import PawlCore

@Suite("The description of the current file that the driver receives")
struct IdentifiedFileTests {
    private func descriptions(_ actions: [DownloadAction]) -> [IdentifiedFile?] {
        actions.compactMap { if case .describe(let description) = $0 { .some(description) } else { nil } }
    }

    @Test func `the first answer describes the file before anything is done with it`() throws {
        var bench = try MachineBench()
        bench.answersFiles = false
        #expect(descriptions(bench.send(.begin)).isEmpty)
        let actions = bench.answerPart(0..<500, of: 500)
        let description = try #require(descriptions(actions).first ?? nil)
        #expect(actions.first == .describe(description) && descriptions(actions).count == 1)
        #expect(description.url == bench.machine.settings.url && description.representation.total == 500)
        #expect(description.layout == nil && description.digests.isEmpty)
        #expect(descriptions(bench.send(.prepared(.ready)) + bench.advance(to: 300) + bench.send(.tick)).isEmpty)
    }

    @Test func `a length that is known only at the end is reported`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        let totals = [bench.answer(200, ["Transfer-Encoding": "chunked"]), bench.deliver(to: 700)].map {
            descriptions($0).map { $0?.representation.total }
        }
        #expect(totals == [[nil], [700]])
    }

    @Test func `after a change no file is described until the new one has answered`() throws {
        var bench = try MachineBench {
            $0.onChange = .restart
            $0.maximumConnections = 1
        }
        bench.send(.begin)
        bench.answerPart(0..<1000, of: 1000)
        bench.advance(to: 400)
        bench.cut()
        let ask = try bench.nextAsk()
        bench.answerPart(400..<1100, of: 1100, tag: "\"other\"", to: ask.id.number)
        #expect(descriptions(bench.actions).last == .some(nil))
        bench.answerPart(0..<1100, of: 1100, tag: "\"other\"")
        #expect(descriptions(bench.actions).last??.representation.total == 1100)
    }

    @Test func `parts are described with their layout, and without the digests of the whole file`() throws {
        var bench = try MachineBench { $0.ranges = try? RangeSelection(parsing: "100-199,300-399") }
        bench.send(.begin)
        bench.answerPart(100..<200, of: 1000)
        let description = try #require(descriptions(bench.actions).last ?? nil)
        #expect(description.layout?.length == 200 && description.representation.total == 1000)
    }

    @Test func `once bytes of several sources are mixed, no single server's answer identifies the file`() throws {
        let digest = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)))
        var file = EstablishedFile()
        file.establish(Representation(total: 10, entityTag: EntityTag(parsing: "\"v\"")), by: .own)
        #expect(file.establishedBy == .own && !file.isMixed)
        file.mix(digests: [digest])
        #expect(file.establishedBy == nil && file.isMixed)
        #expect(file.representation == Representation(total: 10, digests: [digest]))
    }

    @Test func `an only connection waits for a permit; one beside others is not started`() throws {
        var bench = try MachineBench { $0.smallestPiece = 100 }
        bench.send(.begin)
        #expect(bench.send(.permitRefused(ExchangeID(1))) == [.awaitPermit(ExchangeID(1), host: "origin.example:80")])
        bench.send(.hostFreed("origin.example:80"))
        bench.answerPart(0..<10_000, of: 10_000)
        bench.wait(.seconds(5)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 10_000_000, of: 1) }
        let second = try #require(bench.lastAsk)
        try #require(second.id != ExchangeID(1))
        let actions = bench.send(.permitRefused(second.id))
        #expect(!actions.contains { if case .awaitPermit = $0 { true } else { false } })
    }
}
