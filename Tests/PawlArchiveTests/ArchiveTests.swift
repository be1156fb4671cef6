import Testing

@testable import PawlArchive

@Test func `an archive keeps its path`() {
    #expect(Archive("a.zip").path == "a.zip")
}
