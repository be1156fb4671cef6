import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct OldJournalTests {
    private static let content = FileBehaviour.pattern(count: 3 << 20)

    @Test(arguments: BlockHashFunction.allCases, [true, false])
    func `J05 blocks are compared by the function that the journal names`(
        _ function: BlockHashFunction, isRight: Bool
    ) async throws {
        let trial = try Trial(Self.content)
        try trial.leave(durable: 0..<2 << 20) { record in
            record.blockHashFunction = function
            record.urlHash = .xxh64(of: record.url)
            for index in 0..<2 {
                var hash = BlockHash(function)
                Self.content[index << 20..<(index + 1) << 20].withUnsafeBytes { hash.update($0) }
                record.blockHashes[Int64(index)] = hash.value
            }
            if !isRight { record.blockHashes[1]? ^= 1 }
            record.recentBlocks = [0, 1]
        }
        let after = try await trial.run()
        after.expectWhole(Self.content)
        let missing = isRight ? 1 << 20 : 2 << 20
        #expect(after.bodyBytes >= missing && after.bodyBytes < missing + 1 << 19)
    }
}
