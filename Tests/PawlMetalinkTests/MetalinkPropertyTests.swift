import PawlTestKit
import Testing

/// The properties of documents, on thousands of inputs that are the same in each run; `scripts/fuzz` searches for
/// others.
@Suite struct MetalinkPropertyTests {
    private static func examples(file: String = #filePath) throws -> [[UInt8]] {
        // The root is three levels above this file.
        let root = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let directory = "\(root)/Fuzz/Corpus/metalink"
        return try Files.names(directory).map { try Files.read("\(directory)/\($0)") }
    }

    @Test func `the properties of Metalink documents hold for every example and every mutation of it`() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 5)
        for input in examples + Array(ByteFuzz(examples: examples, count: 2000)) { try Self.hold(input) }
    }

    @Test func `the properties of Metalink documents hold for each prefix of an example`() throws {
        for example in try Self.examples() {
            for count in 0...example.count { try Self.hold(Array(example.prefix(count))) }
        }
    }

    private static func hold(_ input: [UInt8]) throws {
        do {
            try ParserProperty.metalink.check(input)
        } catch {
            Issue.record("\(error); the input was \(String(decoding: input, as: UTF8.self))")
            throw error
        }
    }
}
