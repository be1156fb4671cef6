import PawlTestKit

/// The inputs of `ByteFuzz` as texts, to show that no input makes a parser trap.
struct ParserFuzz: Sequence, IteratorProtocol {
    private var bytes: ByteFuzz

    init(seeds: [String]) { bytes = ByteFuzz(examples: seeds.map { Array($0.utf8) }) }

    mutating func next() -> String? { bytes.next().map { String(decoding: $0, as: UTF8.self) } }
}
