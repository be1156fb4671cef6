import PawlTestKit
import Testing

@testable import PawlCore

/// URLs in which every character stands for itself are taken apart quickly, and as any other.
@Suite struct PlainURLTests {
    /// The parser of any URL, which ignores the space.
    private static func full(_ text: String) -> HTTPURL? { try? HTTPURL(parsing: " " + text) }

    /// Returns one of the texts.
    private static func pick(_ texts: [String], _ random: inout SplitMix64) -> String {
        texts[Int(random.next() % UInt64(texts.count))]
    }

    /// A text like a URL, often a plain one.
    private static func text(_ random: inout SplitMix64) -> String {
        let scheme = pick(
            ["http://", "https://", "http://", "https://", "HTTP://", "http:/", "ftp://", "http:///"], &random)
        let plain = ["a", "example", "x-y", "1", "255", "0x7f", "cdn", "b2", "c", "d", "e", "f"]
        let long = [63, 64, 100].map { String(repeating: "a", count: $0) }
        let labels = plain + plain + plain + plain + long + ["-", "", "xn--a", "A", "_", "ä", "a-", "[::1]", "u@h"]
        let host = (0..<1 + Int(random.next() % 5)).map { _ in pick(labels, &random) }.joined(separator: ".")
        let port = pick(["", "", "", ":80", ":443", ":8080", ":0", ":080", ":65535", ":65536", ":", ":a"], &random)
        let names = ["", "a", "B", "~x_y-z", "a.b", "c..d", "00001", "F"]
        let segments = names + names + [".", "..", ".a", "a..", "%41", "a b", "é", "a;b", "a@b", "a:b"]
        let path = (0..<Int(random.next() % 4)).map { _ in "/" + pick(segments, &random) }.joined()
        return scheme + host + port + path + pick(["", "", "", "", "", "", "", "?q", "#f", " ", "\n", "?"], &random)
    }

    @Test func `a plain URL is taken apart as any other`() {
        var random = SplitMix64(seed: 1)
        var taken = 0
        for _ in 0..<20_000 {
            let text = Self.text(&random)
            guard let plain = HTTPURL(plain: text) else { continue }
            taken += 1
            #expect(plain == Self.full(text), "\(text)")
        }
        #expect(taken > 500 && taken < 15_000)
    }

    @Test(arguments: [
        "http://a.example/f", "https://a.example:8443/data/part-00001.parquet", "http://127.0.0.1:8080/00001",
        "http://a.example", "http://a.example/", "http://a.example:80/a_b~c",
    ])
    func `one of a list is plain`(text: String) { #expect(HTTPURL(plain: text) != nil) }

    @Test(arguments: [
        "http://a.example/a?b", "http://a.example/%41", "http://a.example/../x", "http://u@a.example/",
        "http://A.example/",
        "http://a..example/", "http://-a.example/", "http://a.example./", "http://a.example:/", "http://[::1]/",
    ])
    func `any other is parsed in full`(text: String) { #expect(HTTPURL(plain: text) == nil) }
}
