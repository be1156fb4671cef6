import PawlCore
import Testing

struct ExactTextTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test func `M16 two spellings of the same characters are two keys`() {
        #expect(composed == decomposed, "as String compares")
        #expect(ExactText(composed) != ExactText(decomposed))
        #expect(Set([ExactText(composed), ExactText(decomposed), ExactText(composed)]).count == 2)
        #expect(!composed.isExactly(decomposed))
        #expect(composed.isExactly(composed[...]))
    }

    @Test func `M16 keys made of several texts keep the borders between them`() {
        struct Pair: Hashable {
            let first: ExactText
            let second: ExactText
        }
        let one = Pair(first: ExactText("ab"), second: ExactText("c"))
        let other = Pair(first: ExactText("a"), second: ExactText("bc"))
        #expect(one != other)
        #expect(one.hashValue != other.hashValue)
    }

    @Test func `M16 keys are ordered by their bytes, and only identical keys have no order`() {
        #expect(ExactText("a") < ExactText("b"))
        #expect(ExactText("a") < ExactText("ab"))
        #expect((ExactText(composed) < ExactText(decomposed)) != (ExactText(decomposed) < ExactText(composed)))
        #expect(!(ExactText(composed) < ExactText(composed)))
    }

    @Test(arguments: ["\u{D4E}.pawl", "\u{600}.pawl", "\u{110BD}.pawl", "x.pawl", ".pawl"])
    func `M16 a suffix is found after a letter that combines with the next`(name: String) {
        #expect(name.ends(with: ".pawl"))
        #expect(!name.ends(with: "y.pawl"))
    }

    @Test(arguments: ["/\u{301}a", "/\u{200D}", "/"])
    func `M16 a prefix is found before a combining mark`(path: String) {
        #expect(path.begins(with: "/"))
        #expect(!path.begins(with: "a"))
    }

    @Test func `M16 a text has no prefix or suffix longer than itself`() {
        #expect(!"pawl".ends(with: ".pawl"))
        #expect(!"ht".begins(with: "http"))
        #expect("".begins(with: ""))
        #expect("".ends(with: ""))
    }

    @Test func `M16 a dot segment in a URL is recognised whatever mark follows it`() throws {
        #expect(try HTTPURL(parsing: "http://h/a/../\u{301}b").path == "/%CC%81b")
        #expect(try HTTPURL(parsing: "http://h/a/./\u{301}/../b").path == "/a/b")
    }
}
