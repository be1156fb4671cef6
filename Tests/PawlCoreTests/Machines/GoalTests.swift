import Testing

@testable import PawlCore

@Suite("The precedence of a download's goals")
struct GoalTests {
    private static let failure = DownloadMachine.Conclusion.fail(DownloadError(.network, "gone", recovery: .retryNow))
    private static let conclusions: [DownloadMachine.Conclusion] = [.pause, .cancel, failure, .finish]

    @Test(arguments: conclusions, conclusions)
    func `a cancel outranks every goal; a pause or failure outranks only finishing`(
        next: DownloadMachine.Conclusion, former: DownloadMachine.Conclusion
    ) {
        let outranks = next == .cancel || (former == .finish && next != .finish)
        #expect(next.outranks(former) == outranks)
        #expect(DownloadMachine.Goal.conclude(next).outranks(.conclude(former)) == outranks)
    }

    @Test(arguments: conclusions)
    func `every conclusion except finishing outranks a new start, and a new start outranks none`(
        conclusion: DownloadMachine.Conclusion
    ) {
        let goal = DownloadMachine.Goal.conclude(conclusion)
        #expect(goal.outranks(.startOver(.always)) == (conclusion != .finish))
        #expect(!DownloadMachine.Goal.startOver(.always).outranks(goal))
    }
}
