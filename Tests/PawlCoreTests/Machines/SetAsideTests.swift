import Testing

@testable import PawlCore

@Suite("The partial file that a run has set aside")
struct SetAsideTests {
    @Test func `an empty partial file is not kept`() {
        var aside = SetAside.nothing
        let actions = aside.add(held: 0, .always)
        #expect(actions == [.setAside(keep: false)] && aside == .nothing)
    }

    @Test func `V04 of several files set aside, only the longest is kept`() {
        var aside = SetAside.nothing
        let actions = [100, 50, 100, 101].map { aside.add(held: $0, .untilPassed) }
        #expect(
            actions == [
                [.setAside(keep: true)], [.setAside(keep: false)], [.setAside(keep: false)],
                [.dropAside, .setAside(keep: true)],
            ])
        #expect(aside == .kept(count: 101, .untilPassed))
    }

    @Test(arguments: [50, 150])
    func `a file kept for the user stays the user's, whatever is set aside after it`(held: Int64) {
        var aside = SetAside.kept(count: 100, .always)
        _ = aside.add(held: held, .untilPassed)
        #expect(aside == .kept(count: max(100, held), .always))
    }

    @Test func `setting aside a shorter file for the user makes the longer one the user's too`() {
        var aside = SetAside.kept(count: 100, .untilPassed)
        let actions = aside.add(held: 50, .always)
        #expect(actions == [.setAside(keep: false)] && aside == .kept(count: 100, .always))
    }

    @Test
    func `V13 a file set aside is dropped once the new start has reached its length, unless the user is to decide`() {
        var aside = SetAside.kept(count: 100, .untilPassed)
        #expect(aside.dropped(passedBy: 99).isEmpty)
        #expect(aside.dropped(passedBy: 100) == [.dropAside])
        let actions = aside.drop(passedBy: 100)
        #expect(actions == [.dropAside] && aside == .nothing)
        aside = .kept(count: 100, .always)
        let none = aside.drop(passedBy: .max) + aside.dropForRoom()
        #expect(none.isEmpty && aside == .kept(count: 100, .always))
    }

    @Test func `a full disk drops the file set aside, if there is one`() {
        var aside = SetAside.nothing
        var actions = aside.dropForRoom()
        #expect(actions.isEmpty)
        aside = .kept(count: 100, .untilPassed)
        actions = aside.dropForRoom()
        #expect(actions == [.dropAside] && aside == .nothing)
    }
}

extension SetAside {
    fileprivate func dropped(passedBy count: Int64) -> [DownloadAction] {
        var copy = self
        return copy.drop(passedBy: count)
    }
}
