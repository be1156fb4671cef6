import Testing

@testable import PawlCore

@Suite("A user's file that is not the beginning of the server's file")
struct UntouchedFileTests {
    private func bench(
        isTarget: Bool, _ onChange: ChangePolicy, _ ifExists: ExistingFilePolicy, overlap: Int64 = 1000
    ) throws -> MachineBench {
        let name = isTarget ? "file.bin" : "file.bin.part"
        var bench = try MachineBench(.adopted(size: 5000, name: name, isTarget: isTarget)) {
            $0.overlap = overlap
            $0.maximumConnections = 1
            $0.onChange = onChange
            $0.ifExists = ifExists
        }
        bench.send(.begin)
        return bench
    }

    private func setsAside(_ bench: MachineBench) -> Bool { bench.actions.contains(.setAside(keep: true)) }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `D26 a user's file that already has the target's name is set aside only if it may be replaced`(
        ifExists: ExistingFilePolicy
    ) throws {
        var bench = try bench(isTarget: true, .restart, ifExists)
        bench.answerPart(4000..<10_000, of: 10_000)
        bench.end(.overlapDiffers)
        let mayBeMoved = ifExists == .replace
        #expect(setsAside(bench) == mayBeMoved)
        #expect(bench.reports.contains(.changed(.content)) == mayBeMoved, "nothing starts over")
        #expect(bench.phase.errorCode == (mayBeMoved ? nil : .changed))
        guard case .failed(let error) = bench.phase else { return }
        #expect(error.remedies == [.chooseName, .replaceExisting] && error.message.contains("“file.bin”"))
        #expect(bench.machine.summary.stored == 0)
    }

    @Test(arguments: ChangePolicy.allCases)
    func `D26 a user's file under another name is set aside, unless a changed file fails the download`(
        onChange: ChangePolicy
    ) throws {
        var bench = try bench(isTarget: false, onChange, .fail)
        bench.answerPart(4000..<10_000, of: 10_000)
        bench.end(.overlapDiffers)
        #expect(setsAside(bench) == (onChange == .restart))
        #expect(bench.reports.contains(.changed(.content)) == (onChange == .restart))
        #expect(bench.phase.errorCode == (onChange == .restart ? nil : .changed))
    }

    @Test(arguments: [true, false])
    func `D26 a server that allows no comparison starts over only if the user's file may be replaced`(
        mayBeMoved: Bool
    ) throws {
        var bench = try bench(isTarget: true, .restart, mayBeMoved ? .replace : .fail)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        #expect(setsAside(bench) == mayBeMoved)
        #expect(bench.reports.contains(.startedOver(keeping: .always)) == mayBeMoved)
        #expect(bench.phase.errorCode == (mayBeMoved ? nil : .changed))
    }

    @Test func `D26 once the download has written to an adopted file, it is the partial file and no longer the user's`()
        throws
    {
        // All of it is compared at once.
        var bench = try bench(isTarget: true, .restart, .fail, overlap: 5000)
        bench.answerPart(0..<10_000, of: 10_000)
        bench.advance(to: 6000)
        bench.cut()
        try bench.nextAsk()
        bench.answerPart(6000..<20_000, of: 20_000, tag: "\"w\"")
        #expect(setsAside(bench))
        #expect(bench.reports.contains { if case .changed = $0 { true } else { false } })
    }

    @Test
    func
        `D26 once a checkpoint has claimed an adopted file, it is no longer the user's, even if it was already complete`()
        throws
    {
        var bench = try MachineBench(.adopted(size: 5000, name: "file.bin", isTarget: true)) {
            $0.overlap = 1000
            $0.ifExists = .fail
        }
        bench.send(.begin)
        #expect(bench.machine.refusalToSetAside != nil)
        _ = bench.machine.checkpoint()
        #expect(bench.machine.refusalToSetAside == nil)
    }
}
