import Testing

@testable import PawlCore

@Suite("How often a run may start over")
struct RestartBudgetTests {
    @Test func `five changes of the file are followed, and the sixth is not`() {
        var restarts = RestartBudget()
        let allowed = (1...6).map { _ in restarts.countChange() }
        #expect(allowed == [true, true, true, true, true, false] && restarts.changes == 6)
        #expect(!restarts.allowsChange)
    }

    @Test func `a change is allowed exactly if it can still be counted`() {
        var restarts = RestartBudget()
        for _ in 0..<6 {
            let isAllowed = restarts.allowsChange
            let isCounted = restarts.countChange()
            #expect(isCounted == isAllowed)
        }
    }

    @Test func `damaged bytes are repaired three times, but not a fourth`() {
        var restarts = RestartBudget()
        let allowed = (1...5).map { _ in restarts.countRepair() }
        #expect(allowed == [true, true, true, false, false])
    }

    @Test func `R27 bytes may be fetched again once; after that, only as many as the policy allows`() {
        var (restarts, policy) = (RestartBudget(), RetryPolicy())
        policy.freelyFetchedAgain = 1000
        #expect(restarts.allowsRefetching(10_000, of: 100, policy))
        restarts.countRefetched(600)
        restarts.countRefetched(100)
        #expect(restarts.refetched == 700)
        #expect(restarts.allowsRefetching(300, of: 100, policy) && !restarts.allowsRefetching(301, of: 100, policy))
        #expect(restarts.allowsRefetching(301, of: 600, policy), "twice the file is more")
    }

    @Test func `a recent modification is reported once, and causes one restart`() {
        var restarts = RestartBudget()
        let told = [restarts.reportRecentModification(), restarts.reportRecentModification()]
        #expect(told == [true, false] && restarts.allowsRestartOfRecent)
        restarts.countRestartOfRecent()
        let isToldAgain = restarts.reportRecentModification()
        #expect(!isToldAgain && !restarts.allowsRestartOfRecent)
    }
}
