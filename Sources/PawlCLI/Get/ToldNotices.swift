/// Remembers notices, so that a failure that recurs every few seconds is reported once.
struct ToldNotices {
    /// Enough for all sentences; a server that varies its texts endlessly cannot fill the memory.
    private static let limit = 256
    private var lines: Set<String> = []

    mutating func isNew(_ line: String) -> Bool {
        if lines.count >= Self.limit { lines.removeAll() }
        return lines.insert(line).inserted
    }
}
