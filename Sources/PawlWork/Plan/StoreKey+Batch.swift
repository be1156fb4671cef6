import PawlCore
package import PawlStore

/// The objects of a batch.
extension StoreKey {
    package static let plan = named("plan.json")

    package static func shard(_ shard: Int) -> StoreKey { named("shards/\(padded(shard)).ndjson.gz") }

    package static func manifest(_ slice: SliceID) -> StoreKey { named("\(manifests)/\(slice).ndjson.gz") }

    /// - Parameter digest: the SHA-256 of the data. Objects of other bytes have other names, so that no attempt
    ///   replaces what another one has committed.
    package static func data(_ slice: SliceID, digest: [UInt8]) -> StoreKey {
        named("\(data)/\(slice)-\(digest.prefix(6).hexadecimal).tar")
    }

    /// The folders of the manifests, and of the data.
    package static let (manifests, data) = ("manifests", "data")

    /// The slice that the object belongs to; nil for one that is no manifest and no data of this version.
    package var slice: SliceID? {
        guard folders.count == 1 else { return nil }
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1)
        guard parts.count == 2, let shard = Int(String(decoding: parts[0], as: UTF8.self)),
            let slice = Int(
                String(decoding: parts[1].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
        else { return nil }
        return SliceID(shard: shard, slice: slice)
    }

    static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
    }

    /// - Parameter text: made of digits and fixed words.
    private static func named(_ text: String) -> StoreKey {
        // Proven: digits and these words are a key.
        guard let key = StoreKey(text) else { preconditionFailure("\(text) is no key") }
        return key
    }
}

/// A slice of a batch.
package struct SliceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let shard: Int
    package let slice: Int

    package init(shard: Int, slice: Int) { (self.shard, self.slice) = (shard, slice) }

    /// `00017-00003`.
    package var description: String { "\(StoreKey.padded(shard))-\(StoreKey.padded(slice))" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.shard, left.slice) < (right.shard, right.slice)
    }
}

extension Collection<UInt8> {
    /// The bytes in lower-case hexadecimal digits.
    package var hexadecimal: String { DigestAuth.hexadecimal(Array(self)) }
}
