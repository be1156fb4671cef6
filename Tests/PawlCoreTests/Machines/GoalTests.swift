import Testing

@testable import PawlCore

@Suite("The precedence of a download's goals")
struct GoalTests {
    private static let failure = DownloadMachine.Conclusion.fail(DownloadError(.network, "gone", recovery: .retryNow))
    private static let conclusions: [DownloadMachine.Conclusion] = [.pause, .cancel, failure, .finish]

    @Test("a cancel outranks every goal; a pause or failure outranks only finishing", arguments: conclusions, conclusions)
    func ranks(next: DownloadMachine.Conclusion, former: DownloadMachine.Conclusion) {
        let outranks = next == .cancel || (former == .finish && next != .finish)
        #expect(next.outranks(former) == outranks)
        #expect(DownloadMachine.Goal.conclude(next).outranks(.conclude(former)) == outranks)
    }

    @Test("every conclusion except finishing outranks a new start, and a new start outranks none", arguments: conclusions)
    func startingOver(conclusion: DownloadMachine.Conclusion) {
        let goal = DownloadMachine.Goal.conclude(conclusion)
        #expect(goal.outranks(.startOver(.always)) == (conclusion != .finish))
        #expect(!DownloadMachine.Goal.startOver(.always).outranks(goal))
    }
}
