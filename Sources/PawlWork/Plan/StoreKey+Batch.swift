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

    /// The object of a file that has no tar around it, by the name that the caller gave it; nil for a name that some
    /// store could not have, or that a folder of other files has.
    package static func file(_ name: String) -> StoreKey? {
        let isFolder = name.utf8.count == 2 && name.utf8.allSatisfy { ASCII.hexValue($0) != nil }
        guard !isFolder, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return StoreKey("\(data)/\(name)")
    }

    /// The object of a file that nobody has named, by the request for it: what asks for the same has the same name.
    ///
    /// - Parameter ending: the extension.
    package static func file(request: String, ending: String) -> StoreKey {
        let digest = SHA256.hash(Array(request.utf8))
        return named("\(data)/\(digest.prefix(1).hexadecimal)/\(digest.hexadecimal).\(ending)")
    }

    /// The folders of the manifests, and of the data.
    package static let (manifests, data) = ("manifests", "data")

    /// The slice that the object belongs to; nil for one that is no manifest and no data of this version.
    package var slice: SliceID? {
        guard folders.count == 1, let id = SliceID(beginning: name) else { return nil }
        if self == .manifest(id) { return id }
        // Others may keep files of their own beside the data.
        let (front, end) = ("\(Self.data)/\(id)-", ".tar")
        guard text.begins(with: front), text.ends(with: end) else { return nil }
        let digits = text.utf8.dropFirst(front.utf8.count).dropLast(end.utf8.count)
        let isDigest =
            digits.count == 12
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isDigest ? id : nil
    }

    static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
    }

    /// - Parameter text: made of digits, fixed words, and the letters and digits of an extension.
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

    /// Reads the id that a text begins with; nil if it begins with none.
    init?(beginning text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let shard = Int(String(decoding: parts[0], as: UTF8.self)), shard >= 0,
            let slice = Int(String(decoding: parts[1].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
        else { return nil }
        self.init(shard: shard, slice: slice)
        guard text.begins(with: description) else { return nil }
    }

    /// `00017-00003`.
    package var description: String { "\(StoreKey.padded(shard))-\(StoreKey.padded(slice))" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.shard, left.slice) < (right.shard, right.slice)
    }
}
