/// Texts that are alike on every run, for showing that a parser never traps, whatever it is fed.
///
/// Half of them are pure noise; the other half are well-formed seeds with a few bytes changed, which reach deeper.
struct ParserFuzz: Sequence, IteratorProtocol {
    private var generator: Generator
    private var remaining: Int
    private let seeds: [String]

    init(seeds: [String], seed: UInt64 = 0x5061_776C, count: Int = 4000) {
        generator = Generator(state: seed)
        remaining = count
        self.seeds = seeds
    }

    mutating func next() -> String? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        var bytes: [UInt8] = []
        if Bool.random(using: &generator), let seed = seeds.randomElement(using: &generator) {
            bytes = Array(seed.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes) }
        } else {
            let length = Int.random(in: 0...48, using: &generator)
            bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let position = Int.random(in: 0...bytes.count, using: &generator)
        let telling = Array("/\\:;,=\"'%*@[]?#. -~0123456789\u{0}\r\n\u{301}\u{202E}".utf8)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0 where position < bytes.count: bytes.remove(at: position)
        case 1: bytes.insert(telling.randomElement(using: &generator) ?? 0, at: position)
        default: bytes.insert(contentsOf: bytes[..<position].suffix(8), at: position)
        }
    }

    /// SplitMix64, after Steele, Lea and Flood.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
