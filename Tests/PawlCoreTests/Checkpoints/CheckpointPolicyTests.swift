import PawlCore
import Testing

@Suite struct CheckpointPolicyTests {
    @Test func `a checkpoint is due after 2 s, or after 256 MiB, and never without new bytes`() {
        let policy = CheckpointPolicy()
        #expect(policy.isDue(elapsed: .seconds(2), pending: 1))
        #expect(!policy.isDue(elapsed: .milliseconds(1999), pending: (256 << 20) - 1))
        #expect(policy.isDue(elapsed: .milliseconds(1), pending: 256 << 20))
        #expect(!policy.isDue(elapsed: .seconds(3600), pending: 0))
    }

    @Test(arguments: [(1, 2000), (100, 2000), (101, 2020), (500, 10_000), (3000, 60_000), (60_000, 60_000)])
    func `D22 on a slow disk, syncs take at most a twentieth of the time, at intervals of up to a minute`(
        _ syncMilliseconds: Int, _ intervalMilliseconds: Int
    ) {
        var policy = CheckpointPolicy()
        policy.synced(in: .milliseconds(syncMilliseconds))
        #expect(policy.currentInterval == .milliseconds(intervalMilliseconds))
        #expect(policy.isDue(elapsed: .milliseconds(intervalMilliseconds), pending: 1))
        #expect(!policy.isDue(elapsed: .milliseconds(intervalMilliseconds - 1), pending: 1))
    }

    @Test func `D22 volume alone does not trigger an early checkpoint on a slow disk`() {
        var policy = CheckpointPolicy()
        policy.synced(in: .milliseconds(200))
        #expect(!policy.isDue(elapsed: .milliseconds(3999), pending: 1 << 40))
        #expect(policy.isDue(elapsed: .milliseconds(4000), pending: 1 << 40))
    }

    @Test func `a disk that is fast again gets checkpoints at the usual interval`() {
        var policy = CheckpointPolicy()
        policy.synced(in: .seconds(2))
        policy.synced(in: .milliseconds(5))
        #expect(policy.currentInterval == .seconds(2))
    }
}
