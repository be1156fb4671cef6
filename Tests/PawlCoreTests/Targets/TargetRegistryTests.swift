import PawlCore
import Testing

@Suite struct TargetRegistryTests {
    @Test func `two targets are the same if their bytes are, and unnamed targets differ by their requests`() {
        let place = FileTarget(directory: "/d", name: "caf\u{E9}")
        #expect(
            place == FileTarget(directory: "/d", name: "caf\u{E9}", identity: [1]),
            "with a name, the request does not count")
        #expect(place != FileTarget(directory: "/d", name: "cafe\u{301}"))
        #expect(place != FileTarget(directory: "/e", name: "caf\u{E9}"))
        let unnamed = FileTarget(directory: "/d", name: nil, identity: [1])
        #expect(
            unnamed == FileTarget(directory: "/d", name: nil, identity: [1])
                && unnamed != FileTarget(directory: "/d", name: nil, identity: [2]))
        #expect(unnamed != FileTarget(directory: "/d", name: "\u{1}"))
    }

    @Test func `D29 targets that some disk takes for one are spelled alike`() {
        let place = FileTarget(directory: "/d", name: "Caf\u{E9}.bin")
        for (directory, name) in [("/d", "cafe\u{301}.BIN"), ("/D", "Caf\u{E9}.bin"), ("/d", "CAF\u{C9}.bin. ")] {
            #expect(place.spelling == FileTarget(directory: directory, name: name).spelling, "\(directory)/\(name)")
        }
        for (directory, name) in [("/d", "Cafe.bin"), ("/e", "Caf\u{E9}.bin"), ("/d", "Caf\u{E9} (1).bin")] {
            #expect(place.spelling != FileTarget(directory: directory, name: name).spelling, "\(directory)/\(name)")
        }
    }

    @Test func `equal targets have one hash, and different targets different ones`() {
        let places =
            ["a", "b", "ab", "cafe\u{301}", "caf\u{E9}"].map { FileTarget(directory: "/d", name: $0) } + [
                FileTarget(directory: "/d", name: nil, identity: Array("a".utf8)),
                FileTarget(directory: "/d/a", name: "b"),
            ]
        #expect(Set(places.map(\.hash)).count == places.count)
        #expect(FileTarget(directory: "/d", name: "a", identity: [7]).hash == places[0].hash)
    }

    @Test func `a target belongs to its first holder until that holder releases it`() {
        var registry = TargetRegistry<String, Int>()
        #expect(registry.claim("a", for: 1) == nil && registry.claim("a", for: 2) == 1)
        registry.release(["a"], of: 2)
        #expect(registry.holder(of: "a") == 1, "only the holder releases it")
        registry.release(["a"], of: 1)
        #expect(registry.claim("a", for: 2) == nil && registry.all == [2])
        registry.give("a", to: 3)
        #expect(registry.holder(of: "a") == 3)
    }

    @Test func `several targets are taken together or not at all`() {
        var registry = TargetRegistry<String, Int>()
        #expect(registry.claim("b", for: 1) == nil)
        #expect(!registry.claim(["a", "b"], for: 2) && registry.holder(of: "a") == nil)
        #expect(
            registry.holder(of: ["a", "b"], otherThan: 2) == 1 && registry.holder(of: ["a", "b"], otherThan: 1) == nil)
        #expect(
            registry.claim(["a", "b"], for: 1) && registry.holder(of: "a") == 1,
            "what one has does not keep it from the rest")
    }
}
