import Testing

@testable import PawlCore

@Suite("Which goal of a download gives way to which")
struct GoalTests {
    private static let failure = DownloadMachine.Conclusion.fail(DownloadError(.network, "gone", recovery: .retryNow))
    private static let conclusions: [DownloadMachine.Conclusion] = [.pause, .cancel, failure, .finish]

    @Test("a cancel outranks all; a pause and a failure only what would go on", arguments: conclusions, conclusions)
    func ranks(next: DownloadMachine.Conclusion, former: DownloadMachine.Conclusion) {
        let outranks = next == .cancel || (former == .finish && next != .finish)
        #expect(next.outranks(former) == outranks)
        #expect(DownloadMachine.Goal.conclude(next).outranks(.conclude(former)) == outranks)
    }

    @Test("a new start gives way to every end but the file's own, and undoes none", arguments: conclusions)
    func startingOver(conclusion: DownloadMachine.Conclusion) {
        let goal = DownloadMachine.Goal.conclude(conclusion)
        #expect(goal.outranks(.startOver(.always)) == (conclusion != .finish))
        #expect(!DownloadMachine.Goal.startOver(.always).outranks(goal))
    }
}
