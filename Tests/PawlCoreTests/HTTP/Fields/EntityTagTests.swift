import PawlCore
import Testing

@Suite struct EntityTagTests {
    @Test(arguments: [
        ("\"abc\"", "\"abc\"", false), ("W/\"abc\"", "W/\"abc\"", true), ("\"\"", "\"\"", false),
        ("W/\"\"", "W/\"\"", true),
        (" \"abc\" ", "\"abc\"", false), ("\"a\\b%41,W/\"", "\"a\\b%41,W/\"", false), ("\"é\"", "\"é\"", false),
    ])
    func `an entity tag is kept as it was sent`(_ value: String, _ raw: String, _ isWeak: Bool) throws {
        let tag = try #require(EntityTag(parsing: value))
        #expect(tag.raw == raw)
        #expect(tag.isWeak == isWeak)
    }

    @Test(arguments: [
        "", "abc", "\"abc", "abc\"", "\"a\"b\"", "\"a b\"", "w/\"abc\"", "W/abc", "W/ \"abc\"", "\"a\", \"b\"",
        "\"a\u{0}\"",
        "\"a\u{7F}\"", "W/",
        "\"", "\"a\u{FFFD}\"",
    ])
    func `a malformed entity tag is refused`(_ value: String) {
        #expect(EntityTag(parsing: value) == nil)
    }

    // The table of RFC 9110 §8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true), ("\"a\"", "\"A\"", false, false),
        // Canonically equivalent text in different bytes.
        ("\"\u{E9}\"", "\"e\u{301}\"", false, false),
    ])
    func `entity tags compare strongly and weakly as RFC 9110 says`(
        _ left: String, _ right: String, _ strong: Bool, _ weak: Bool
    ) throws {
        let left = try #require(EntityTag(parsing: left))
        let right = try #require(EntityTag(parsing: right))
        #expect(left.stronglyEquals(right) == strong)
        #expect(right.stronglyEquals(left) == strong)
        #expect(left.weaklyEquals(right) == weak)
        #expect(right.weaklyEquals(left) == weak)
    }

    @Test func `V20 an empty entity tag is told apart from others`() throws {
        for (value, isEmpty) in [("\"\"", true), ("W/\"\"", true), ("\"a\"", false), ("W/\"a\"", false)] {
            let tag = try #require(EntityTag(parsing: value))
            #expect(tag.isEmpty == isEmpty, "\(value)")
        }
    }

    @Test func `entity tags are compared by bytes, not by characters`() throws {
        let composed = try #require(EntityTag(parsing: "\"\u{E9}\""))
        let decomposed = try #require(EntityTag(parsing: "\"e\u{301}\""))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test func `no text makes the parser trap, and every parsed tag equals itself when it is parsed again`() {
        for text in ParserFuzz(seeds: ["\"abc\"", "W/\"abc\"", "\"\""]) {
            guard let tag = EntityTag(parsing: text) else { continue }
            #expect(EntityTag(parsing: tag.raw) == tag)
            #expect(tag.weaklyEquals(tag))
            #expect(tag.stronglyEquals(tag) == !tag.isWeak)
        }
    }

    private static let length: Int64 = 123_456
    private static let modified: Int64 = 1_640_995_200

    /// As nginx, Apache, aiohttp, Caddy and IIS write them, and whether the length is in it.
    @Test(arguments: [
        ("\(String(modified, radix: 16))-\(String(length, radix: 16))", true),
        ("\(String(length, radix: 16))-\(String(modified * 1_000_000 + 5, radix: 16))", true),
        ("\(String(modified * 1_000_000_000 + 7, radix: 16))-\(String(length, radix: 16))", true),
        (String(modified * 1_000_000_000 + 7, radix: 36) + String(length, radix: 36), true),
        ("\(length)-\(modified)", true), ("\(String((modified + 11_644_473_600) * 10_000_000, radix: 16)):0", false),
        (String(modified, radix: 16).uppercased(), false),
    ])
    func `V28 a tag made of length and date tells no more than they do`(_ text: String, _ hasLength: Bool) throws {
        let tag = try #require(EntityTag(parsing: "\"\(text)\""))
        #expect(tag.repeats(length: Self.length, modified: Self.modified))
        #expect(!tag.repeats(length: Self.length + 1, modified: Self.modified + 1))
        #expect(tag.repeats(length: Self.length, modified: nil) == hasLength)
        #expect(!tag.isLikelyDigest)
    }

    @Test(arguments: ["a", "v1", "one", "0", "0-0", "7a-1e240-61cf9980", "d41d8cd98f00b204e9800998ecf8427e", "é"])
    func `V28 other tags tell more than length and date`(_ text: String) throws {
        let tag = try #require(EntityTag(parsing: "\"\(text)\""))
        #expect(!tag.repeats(length: Self.length, modified: Self.modified))
    }

    @Test(arguments: [
        ("d41d8cd98f00b204e9800998ecf8427e", true), ("D41D8CD98F00B204E9800998ECF8427E-12", true),
        ("d41d8cd98f00b204e9800998ecf8427", false), ("d41d8cd98f00b204e9800998ecf8427e-", false),
        ("d41d8cd98f00b204e9800998ecf8427e-gzip", false), ("0x8D9CB0E4C3F0000", false), ("one", false),
    ])
    func `V28 a tag in the form of a digest is likely one`(_ text: String, _ isDigest: Bool) throws {
        #expect(try #require(EntityTag(parsing: "\"\(text)\"")).isLikelyDigest == isDigest)
    }
}
