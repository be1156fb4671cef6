import PawlTestKit
import Testing

/// The properties of lists, on thousands of texts that are the same in each run; `scripts/fuzz` searches for others.
@Suite struct ListPropertyTests {
    private static func examples(_ name: String, file: String = #filePath) throws -> [[UInt8]] {
        // The root is three levels above this file.
        let root = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let directory = "\(root)/Fuzz/Corpus/\(name)"
        return try Files.names(directory).map { try Files.read("\(directory)/\($0)") }
    }

    @Test(arguments: ParserProperty.lists.map(\.name))
    func `the properties of the list parsers hold for every example and every mutation of it`(name: String) throws {
        let examples = try Self.examples(name)
        #expect(examples.count >= 3, "too few examples in Fuzz/Corpus/\(name)")
        for input in examples + Array(ByteFuzz(examples: examples, count: 1000)) { try Self.hold(name, input) }
    }

    @Test(arguments: ParserProperty.lists.map(\.name))
    func `the properties of the list parsers hold for each prefix of an example`(name: String) throws {
        for example in try Self.examples(name) {
            for count in 0...min(example.count, 200) { try Self.hold(name, Array(example.prefix(count))) }
        }
    }

    private static func hold(_ name: String, _ input: [UInt8]) throws {
        let property = try #require(ParserProperty.lists.first { $0.name == name })
        do {
            try property.check(input)
        } catch {
            Issue.record("\(name): \(error); the input was \(input)")
            throw error
        }
    }
}
