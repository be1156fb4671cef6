import Pawl

/// Remembers notices, so that a failure that recurs every few seconds is reported once.
struct NoticeDeduplicator {
    /// The largest number of sentences remembered: enough for all, while a server that varies its texts endlessly
    /// cannot fill the memory.
    private static let limit = 256
    private var lines: Set<String> = []

    /// - Parameter line: what is said of it. Of a retry, its time is nothing new.
    mutating func isNew(_ notice: DownloadNotice, _ line: String) -> Bool {
        guard notice.code == .retrying else { return isNew(line) }
        return isNew("\(notice.message) \(notice.facts.failures ?? 0)")
    }

    private mutating func isNew(_ line: String) -> Bool {
        if lines.count >= Self.limit { lines.removeAll() }
        return lines.insert(line).inserted
    }
}
