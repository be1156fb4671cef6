import Pawl
import PawlCore
import PawlTestKit
import Testing

/// Requested parts that reach past the end of a file of unknown length.
@Suite struct `B1 Parts of a file of unknown length` {
    private static let content = FileBehaviour.pattern(count: 300_000)

    private struct Case: CustomTestStringConvertible {
        var ranges: String
        var isSparse = false
        var testDescription: String { "\(ranges)\(isSparse ? ", sparse" : "")" }

        var result: [UInt8] {
            let bytes = content
            if isSparse { return [UInt8](repeating: 0, count: 100_000) + bytes[100_000...] }
            return ranges.hasSuffix(",0-99") ? Array(bytes[100_000...] + bytes[..<100]) : Array(bytes[100_000...])
        }
    }

    private static let cases = [
        Case(ranges: "100000-999999"), Case(ranges: "100000-999999", isSparse: true),
        Case(ranges: "100000-999999,0-99"),
    ]

    private static func trial(_ framing: FileBehaviour.Framing) throws -> Trial {
        try Trial(content) { behaviour in
            behaviour.honoursRanges = false
            behaviour.framing = framing
        }
    }

    @Test(arguments: cases)
    private func `R31 a requested part that reaches past the end of the file is cut at its last byte`(
        _ one: Case
    ) async throws {
        let trial = try Self.trial(.chunked(size: 10_000))
        let after = try await trial.run {
            $0.settings.ranges = try? RangeSelection(parsing: one.ranges)
            $0.settings.isSparse = one.isSparse
        }
        after.expectWhole(one.result)
        #expect(after.outcome?.isComplete == true && after.ending.total == Int64(one.result.count))
    }

    @Test func `R31 the digest of a part that reaches past the end of the file covers the bytes that exist`()
        async throws
    {
        let part = Array(Self.content[100_000...])
        let after = try await Self.trial(.chunked(size: 10_000)).run {
            $0.settings.ranges = try? RangeSelection(parsing: "100000-999999")
            $0.settings.digest = Sums.sha256(part)
        }
        after.expectWhole(part, verified: true)
    }

    @Test func `L24 if a complete file is required, a closed connection does not end a part that reaches past the end`()
        async throws
    {
        let refused = try await Self.trial(.untilClose).run {
            $0.settings.ranges = try? RangeSelection(parsing: "100000-999999")
            $0.settings.requiresComplete = true
        }
        #expect(refused.error?.code == .incomplete && refused.files[Trial.name] == nil)
        let before = try await Self.trial(.untilClose).run {
            $0.settings.ranges = try? RangeSelection(parsing: "0-99")
            $0.settings.requiresComplete = true
        }
        before.expectWhole(Array(Self.content[..<100]))
        #expect(before.outcome?.isComplete == true)
    }
}
