/// Lets a block grow at once and shrink late: when one download ends, the next is there before anything has moved.
struct StableHeight {
    /// Drawings for which a block must have been lower; at eight a second, one second.
    private static let patience = 8

    private(set) var height = 0
    private var lower = 0

    /// Fills up `lines` above the last of them.
    mutating func settle(_ lines: [StyledLine], room: Int) -> [StyledLine] {
        lower = lines.count < height ? lower + 1 : 0
        if lines.count >= height || lower >= Self.patience {
            height = lines.count
            lower = 0
        }
        guard let last = lines.last, case let missing = min(height, room) - lines.count, missing > 0 else {
            return lines
        }
        return lines.dropLast() + Array(repeating: StyledLine(), count: missing) + [last]
    }
}
