import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B7 Stale handles` {
    /// After a restart of the file server, every call on an open file fails with ESTALE.
    @Test(arguments: [FaultyStorage.Operation.write, .syncData, .sync])
    func `J14 when every handle goes stale the error says that it is the network file system, and the next run goes on`(
        _ operation: FaultyStorage.Operation
    ) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        var plan = FaultPlan()
        plan.failAlways(operation, with: .stale)
        let storage = FaultyStorage(POSIXStorage(), plan)
        let after = try await trial.run({ $0.settings.maximumConnections = 2 }, storage: storage)
        #expect(!storage.failures.isEmpty)
        if after.outcome == nil {
            let error = after.expectFailure(.diskError, keeping: 100_000, of: trial.content)
            #expect(error?.message.contains("The network file system no longer knows") == true, "\(error?.message ?? "")")
        }
        #expect(storage.openFileCount == 0)
        let second = try await trial.run()
        if after.outcome == nil {
            second.expectWhole(trial.content)
            #expect(second.bodyBytes <= 200_000 + 4096)
        }
    }
}
