/// Remembers what was said, so that a failure that comes back every few seconds is told once.
struct ToldNotices {
    /// Enough for the sentences there are; a server that varies its texts without end cannot fill the memory.
    private static let limit = 256
    private var lines: Set<String> = []

    mutating func isNew(_ line: String) -> Bool {
        if lines.count >= Self.limit { lines.removeAll() }
        return lines.insert(line).inserted
    }
}
