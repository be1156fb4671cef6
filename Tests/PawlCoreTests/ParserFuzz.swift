import PawlTestKit

/// The same as texts, for showing that a parser never traps, whatever it is fed.
struct ParserFuzz: Sequence, IteratorProtocol {
    private var bytes: ByteFuzz

    init(seeds: [String]) { bytes = ByteFuzz(examples: seeds.map { Array($0.utf8) }) }

    mutating func next() -> String? { bytes.next().map { String(decoding: $0, as: UTF8.self) } }
}
