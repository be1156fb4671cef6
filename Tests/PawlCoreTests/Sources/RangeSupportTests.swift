import Testing

@testable import PawlCore

@Suite("A server's observed support for ranges")
struct RangeSupportTests {
    @Test func `an honoured range is remembered, whatever happens later`() {
        var support = RangeSupport.unknown
        #expect(!support.isProven && !support.isIgnored)
        support.noteHonoured()
        #expect(support == .honoured)
        support.noteIgnored()
        #expect(support == .ignored(hasHonoured: true))
    }

    @Test func `a server that has ignored a range is not relied on again, even if it honours a later one`() {
        var support = RangeSupport.unknown
        support.noteIgnored()
        #expect(support == .ignored(hasHonoured: false))
        support.noteHonoured()
        #expect(support.isIgnored && support.isProven)
    }

    @Test func `only the first whole file in answer to a range may be an accident`() {
        var habits = ServerHabits()
        let isFirst = [habits.noteWhole(), habits.noteWhole()]
        #expect(isFirst == [true, false])
    }
}
