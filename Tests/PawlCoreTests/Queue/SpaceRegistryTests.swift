import PawlCore
import Testing

@Suite struct SpaceRegistryTests {
    @Test func `M16 two spellings of a directory's name may be on two disks`() {
        var registry = SpaceRegistry()
        registry.note("/\u{E9}", on: 1)
        registry.note("/e\u{301}", on: 2)
        #expect(registry.disk(of: "/\u{E9}") == 1)
        #expect(registry.disk(of: "/e\u{301}") == 2)
    }
}
