import PawlTestKit
import Testing

/// The properties of zip archives, on thousands of inputs that are the same in each run; `scripts/fuzz` searches for
/// others.
@Suite struct ZipPropertyTests {
    private static func examples(_ name: String, file: String = #filePath) throws -> [[UInt8]] {
        // The root is three levels above this file.
        let root = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let directory = "\(root)/Fuzz/Corpus/\(name)"
        return try Files.names(directory).map { try Files.read("\(directory)/\($0)") }
    }

    @Test(arguments: ParserProperty.zips.map(\.name))
    func `the properties of the zip parsers hold for every example and every mutation of it`(name: String) throws {
        let examples = try Self.examples(name)
        #expect(examples.count >= 5)
        let small = examples.filter { $0.count < 1000 }
        for input in examples + Array(ByteFuzz(examples: small, count: 1500)) { try Self.hold(name, input) }
    }

    @Test(arguments: ParserProperty.zips.map(\.name))
    func
        `the properties of the zip parsers hold for each prefix of an example, and with each number in it at its maximum`(
            name: String
        ) throws
    {
        for example in try Self.examples(name).filter({ $0.count < 300 }) {
            for count in 0...example.count {
                try Self.hold(name, Array(example.prefix(count)))
                for width in [2, 4, 8] where count + width <= example.count {
                    var changed = example
                    changed.replaceSubrange(count..<count + width, with: Array(repeating: 0xFF, count: width))
                    try Self.hold(name, changed)
                }
            }
        }
    }

    private static func hold(_ name: String, _ input: [UInt8]) throws {
        guard let property = ParserProperty.zips.first(where: { $0.name == name }) else { return }
        do {
            try property.check(input)
        } catch {
            Issue.record("\(error); the input was \(input)")
            throw error
        }
    }
}
