import PawlCore
import Testing

@Suite struct SpaceBookTests {
    @Test func `M16 two directories whose names are spelled in two ways may be on two disks`() {
        var book = SpaceBook()
        book.note("/\u{E9}", on: 1)
        book.note("/e\u{301}", on: 2)
        #expect(book.disk(of: "/\u{E9}") == 1)
        #expect(book.disk(of: "/e\u{301}") == 2)
    }
}
