import Testing

@testable import PawlCore

@Suite("How often a run may begin again")
struct RestartBudgetTests {
    @Test("five changes of the file are followed, and the sixth is one too many")
    func changes() {
        var restarts = RestartBudget()
        let allowed = (1...6).map { _ in restarts.countChange() }
        #expect(allowed == [true, true, true, true, true, false] && restarts.changes == 6)
        #expect(!restarts.allowsChange)
    }

    @Test("a change is allowed as long as counting it would be")
    func allowance() {
        var restarts = RestartBudget()
        for _ in 0..<6 {
            let isAllowed = restarts.allowsChange
            let isCounted = restarts.countChange()
            #expect(isCounted == isAllowed)
        }
    }

    @Test("three repairs of damaged bytes, and no fourth")
    func repairs() {
        var restarts = RestartBudget()
        let allowed = (1...5).map { _ in restarts.countRepair() }
        #expect(allowed == [true, true, true, false, false])
    }

    @Test("R27 bytes may come again once; after that, as many as the policy lets")
    func refetching() {
        var (restarts, policy) = (RestartBudget(), RetryPolicy())
        policy.freelyFetchedAgain = 1000
        #expect(restarts.allowsRefetching(10_000, of: 100, policy))
        restarts.countRefetched(600)
        restarts.countRefetched(100)
        #expect(restarts.refetched == 700)
        #expect(restarts.allowsRefetching(300, of: 100, policy) && !restarts.allowsRefetching(301, of: 100, policy))
        #expect(restarts.allowsRefetching(301, of: 600, policy), "twice the file is more")
    }

    @Test("that a file was modified recently is told once, and is reason to begin again once")
    func recentModification() {
        var restarts = RestartBudget()
        let told = [restarts.reportRecentModification(), restarts.reportRecentModification()]
        #expect(told == [true, false] && restarts.allowsRestartOfRecent)
        restarts.countRestartOfRecent()
        let isToldAgain = restarts.reportRecentModification()
        #expect(!isToldAgain && !restarts.allowsRestartOfRecent)
    }
}
