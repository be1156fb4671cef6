import Testing

@testable import PawlCore

@Suite("A server's observed support for ranges")
struct RangeSupportTests {
    @Test("an honoured range is remembered, whatever happens later")
    func honoured() {
        var support = RangeSupport.unknown
        #expect(!support.isProven && !support.isIgnored)
        support.noteHonoured()
        #expect(support == .honoured)
        support.noteIgnored()
        #expect(support == .ignored(hasHonoured: true))
    }

    @Test("a server that has ignored a range is not relied on again, even if it honours a later one")
    func ignored() {
        var support = RangeSupport.unknown
        support.noteIgnored()
        #expect(support == .ignored(hasHonoured: false))
        support.noteHonoured()
        #expect(support.isIgnored && support.isProven)
    }

    @Test("only the first whole file in answer to a range may be an accident")
    func wholes() {
        var habits = ServerHabits()
        let isFirst = [habits.noteWhole(), habits.noteWhole()]
        #expect(isFirst == [true, false])
    }
}
