import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B7 Stale file handles` {
    /// After a restart of the file server, every call on an open file fails with ESTALE.
    @Test(arguments: [FaultyStorage.Operation.write, .syncData, .sync])
    func `J14 if file handles go stale, the error names the network file system as the cause, and the next run resumes`(
        _ operation: FaultyStorage.Operation
    ) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        var plan = FaultPlan()
        plan.failAlways(operation, with: .stale)
        let storage = FaultyStorage(POSIXStorage(), plan)
        let after = try await trial.run({ $0.settings.maximumConnections = 2 }, storage: storage)
        #expect(!storage.failures.isEmpty)
        // The file cannot be finished without each of the three calls, so the first run always fails.
        let error = after.expectFailure(.diskError, keeping: 100_000, of: trial.content)
        #expect(error?.message.contains("The network file system no longer knows") == true, "\(error?.message ?? "")")
        #expect(storage.openFileCount == 0)
        let second = try await trial.run()
        second.expectWhole(trial.content)
        #expect(second.bodyBytes <= 200_000 + 4096)
    }
}
