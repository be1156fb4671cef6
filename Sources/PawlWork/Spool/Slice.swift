import PawlStore

/// A slice that is worked on.
package struct Slice: Sendable {
    package let batch: String
    package let id: SliceID
    package let form: BatchPlan.Form
    let hasUniqueNames: Bool
    /// The number of the first item in the shard.
    package let first: Int
    private let lines: [[UInt8]]

    /// - Parameter lines: those of its shard that belong to it, at least one.
    package init(
        _ batch: String, _ id: SliceID, _ form: BatchPlan.Form = .tar, hasUniqueNames: Bool = false, first: Int,
        lines: [[UInt8]]
    ) {
        (self.batch, self.id, self.form, self.first, self.lines) = (batch, id, form, first, lines)
        self.hasUniqueNames = hasUniqueNames
    }

    package var count: Int { lines.count }

    /// The lines, read anew each time: of a slice that has a manifest, nobody needs them.
    package var items: [ShardItem] { lines.enumerated().map { ShardItem(first + $0, parsing: $1) } }

    /// The beginning of the names of an item's members, without a dot: shard and item in 13 digits.
    package func key(of item: Int) -> String {
        let digits = String(item)
        return StoreKey.padded(id.shard) + String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }
}
