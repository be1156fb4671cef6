import PawlCore
import PawlTestKit
import Testing

/// The short way of a small file ends as the ordinary way does, wherever it is left.
@Suite("Small files on the short way, simulated")
struct SmallFileTests {
    static var seeds: [UInt64] {
        if let seed = environmentNumber("PAWL_SEED") { return [seed] }
        return Array(1...UInt64(max(40, (environmentNumber("PAWL_SIMULATIONS") ?? 0) / 20)))
    }

    @Test(arguments: seeds)
    func `a list of small files ends the same on each way`(seed: UInt64) throws {
        let story = SmallFileStory(seed: seed)
        let ordinary = try story.run(.ordinary)
        #expect(ordinary.short == 0)
        for way in [SmallFileStory.Way.short, .interrupted] {
            let run = try story.run(way)
            let endsTheSame = run.end == ordinary.end
            #expect(endsTheSame, "\(way), again: PAWL_SEED=\(seed)\n\(ordinary.end.difference(from: run.end))")
        }
    }

    @Test func `most files of most lists take the short way to their end`() throws {
        let short = try (1...20).reduce(0) { try $0 + SmallFileStory(seed: $1).run(.short).short }
        #expect(short > 50, "\(short) of 800")
    }
}
