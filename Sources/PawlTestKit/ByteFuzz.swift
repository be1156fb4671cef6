import PawlCore

/// Inputs that are the same on every run. Half of them are pure noise; the other half are examples with a few bytes
/// changed, which reach deeper.
package struct ByteFuzz: Sequence, IteratorProtocol {
    private var generator: SplitMix64
    private var remaining: Int
    private let examples: [[UInt8]]

    package init(examples: [[UInt8]], seed: UInt64 = 0x5061_776C, count: Int = 4000) {
        generator = SplitMix64(seed: seed)
        remaining = count
        self.examples = examples
    }

    package mutating func next() -> [UInt8]? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        guard Bool.random(using: &generator), var bytes = examples.randomElement(using: &generator) else {
            let length = Int.random(in: 0...48, using: &generator)
            return (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let position = Int.random(in: 0...bytes.count, using: &generator)
        let telling = Array("/\\:;,=\"'%*@[]?#. -~0123456789\u{0}\r\n\u{301}\u{202E}".utf8)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where position < bytes.count: bytes.remove(at: position)
        case 1, 2: bytes.insert(telling.randomElement(using: &generator) ?? 0, at: position)
        case 3 where position < bytes.count: bytes[position] = UInt8.random(in: 0...255, using: &generator)
        case 4:
            let other = examples.randomElement(using: &generator) ?? []
            bytes = bytes[..<position] + other.suffix(Int.random(in: 0...other.count, using: &generator))
        default: bytes.insert(contentsOf: bytes[..<position].suffix(8), at: position)
        }
    }
}
