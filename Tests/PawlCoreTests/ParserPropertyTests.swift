import PawlCore
import PawlTestKit
import Testing

/// Thousands of inputs per parser, the same in each run; `scripts/fuzz` searches for others.
@Suite struct ParserPropertyTests {
    @Test(arguments: ParserProperty.all)
    func `every parser property holds for every example and every mutation of it`(_ property: ParserProperty) throws {
        let examples = try Self.examples(of: property.name)
        #expect(examples.count >= 3, "too few examples in Fuzz/Corpus/\(property.name)")
        for input in examples.map(\.bytes) + Array(ByteFuzz(examples: examples.map(\.bytes), count: 1000)) {
            do {
                try property.check(input)
            } catch {
                Issue.record("\(property.name): \(error); the input was \(input)")
                return
            }
        }
    }

    @Test(arguments: ParserProperty.all)
    func `every parser property holds for each prefix of an example`(_ property: ParserProperty) throws {
        for example in try Self.examples(of: property.name) {
            for count in 0...min(example.bytes.count, 200) {
                do {
                    try property.check(Array(example.bytes.prefix(count)))
                } catch {
                    Issue.record("\(property.name), \(count) bytes of \(example.name): \(error)")
                    return
                }
            }
        }
    }

    private static func examples(of name: String, file: String = #filePath) throws -> [(name: String, bytes: [UInt8])] {
        // From Tests/PawlCoreTests/THIS.
        let root = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let directory = "\(root)/Fuzz/Corpus/\(name)"
        return try Files.names(directory).map { ($0, try Files.read("\(directory)/\($0)")) }
    }
}

extension ParserProperty: CustomTestStringConvertible {
    public var testDescription: String { name }
}
