import PawlCore
import PawlEngine
import PawlTestKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Whole simulated downloads with meddling users and servers")
struct MeddlingTests {
    /// `PAWL_SEED` replays a single story; `PAWL_SIMULATIONS` sets the number of stories; `PAWL_TROUBLES` selects their
    /// troubles by name. With `PAWL_SURVEY` the failing stories are listed, one a line, and do not fail the test.
    @Test func `every story with meddling keeps the user's files and publishes only the server's bytes`() async throws {
        let troubles = Self.troubles
        if let seed = environmentNumber("PAWL_SEED") {
            var story = MeddlingStory(seed: seed, among: troubles)
            print(try story?.run() as Any)
            return
        }
        let count = environmentNumber("PAWL_SIMULATIONS") ?? 4000
        let isSurvey = environmentNumber("PAWL_SURVEY") != nil
        let executors: UInt64 = 2
        let summary = try await withThrowingTaskGroup(of: MeddlingStory.Summary.self) { group in
            for executor in 0..<executors {
                group.addTask {
                    var total = MeddlingStory.Summary()
                    for seed in stride(from: executor, to: count, by: Int(executors)) {
                        do {
                            guard var story = MeddlingStory(seed: seed, among: troubles) else { continue }
                            total.add(try story.run())
                        } catch let failure as MeddlingStory.Failure where isSurvey {
                            print("SURVEY \(seed) [\(failure.story[0])] \(failure.what)")
                        }
                        // Other tests share these threads, and some of them depend on the clock.
                        await Task.yield()
                    }
                    return total
                }
            }
            return try await group.reduce(into: MeddlingStory.Summary()) { $0.add($1) }
        }
        print("meddled with: \(summary)")
        // Stories that all ended before anything happened would prove nothing.
        #expect(summary.completed > summary.stories / 2)
        #expect(summary.cuts > summary.stories / 6)
    }

    @Test(arguments: MeddlingStory.Blindness.allCases)
    func `the judges detect deceptions that the engine cannot notice`(blindness: MeddlingStory.Blindness) throws {
        let caught = try (0..<UInt64(400)).first { seed in
            guard var story = MeddlingStory(seed: seed, among: [blindness.trouble], blindness: blindness) else {
                return false
            }
            do {
                _ = try story.run()
                return false
            } catch is MeddlingStory.Failure {
                return true
            }
        }
        #expect(caught != nil)
    }

    private static var troubles: Set<MeddlingStory.Trouble> {
        guard let text = getenv("PAWL_TROUBLES").map({ String(cString: $0) }) else {
            return Set(MeddlingStory.Trouble.allCases)
        }
        return Set(text.split(separator: ",").compactMap { MeddlingStory.Trouble(rawValue: String($0)) })
    }
}

extension MeddlingStory.Summary {
    fileprivate mutating func add(_ other: MeddlingStory.Summary) {
        stories += other.stories
        lives += other.lives
        requests += other.requests
        completed += other.completed
        cuts += other.cuts
        acts += other.acts
    }
}
