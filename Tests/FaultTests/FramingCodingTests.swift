import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite struct `B3 Framing: content codings` {
    /// The start of a gzip file. Only its header is ever examined.
    private static let coded: [UInt8] = [0x1F, 0x8B, 8, 0] + FileBehaviour.pattern(count: 100_000)

    private func trial(_ change: (inout FileBehaviour) -> Void = { _ in }) throws -> Trial {
        try Trial(Self.coded) { behaviour in
            behaviour.extraFieldLines = ["Content-Encoding: gzip"]
            change(&behaviour)
        }
    }

    private func isCoded(_ after: Aftermath, as coding: String = "gzip") -> Bool {
        after.reports.contains { if case .encoded(let text) = $0 { text.hasPrefix(coding) } else { false } }
    }

    @Test(arguments: [true, false])
    func `L13 L14 a body with an unrequested content coding is stored without decoding, with a warning`(
        honoursRanges: Bool
    ) async throws {
        let trial = try trial { $0.honoursRanges = honoursRanges }
        let after = try await trial.run()
        after.expectWhole(Self.coded)
        #expect(isCoded(after))
        #expect(after.ending.representation?.contentCoding == "gzip")
        // Parts of a coded file are never joined: the second request is for the whole file.
        #expect(after.ranges == (honoursRanges ? ["bytes=0-", "-"] : ["bytes=0-"]))
        after.expectCost(requests: 2)
    }

    @Test func `L13 a coded response is never joined to plain bytes of an earlier run`() async throws {
        let trial = try trial()
        try trial.leave(durable: 0..<50_000)
        let after = try await trial.run()
        after.expectWhole(Self.coded, beside: [Trial.name + ".part.orphan-1"])
        #expect(after.reports.contains(.changed(.contentCoding)))
        // The download asks again before it believes that the file changed.
        after.expectCost(requests: 6)
    }

    @Test func `L13 a file with a content coding completes after a response breaks off`() async throws {
        let trial = try trial { behaviour in
            behaviour.cut = .init(afterBytes: 60_000, requests: 2...2)
        }
        let after = try await trial.run()
        after.expectWhole(Self.coded)
        #expect(isCoded(after))
    }

    @Test func `L15 a .tar.gz sent with Content-Encoding gzip is stored without decoding`() async throws {
        let trial = try trial()
        let after = try await trial.run(path: "/file.tar.gz") { $0.fileName = "file.tar.gz" }
        #expect(after.outcome?.isComplete ?? false)
        #expect(after.files == ["file.tar.gz": Self.coded])
        #expect(isCoded(after))
    }

    @Test func `L16 nested content codings are not decoded, however many layers there are`() async throws {
        let trial = try Trial(Self.coded) {
            $0.extraFieldLines = ["Content-Encoding: " + Array(repeating: "gzip", count: 1000).joined(separator: ", ")]
        }
        let after = try await trial.run()
        after.expectWhole(Self.coded)
        #expect(isCoded(after, as: "gzip, gzip, gzip"))
        after.expectCost(requests: 2, bytes: 2 * Self.coded.count)
    }
}
