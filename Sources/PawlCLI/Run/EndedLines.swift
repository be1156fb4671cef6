/// The lines about files that have ended, in the order of the list.
///
/// Complete files of a long list are only counted, in the progress and in the summary.
struct EndedLines {
    /// The longest list whose complete files have a line each.
    static let maximumListed = 100

    private struct Entry {
        var number: Int
        var line: String
    }

    private let listsComplete: Bool
    private var entries: [Entry] = []

    /// - Parameter count: of the files in the run.
    init(count: Int) { listsComplete = count <= Self.maximumListed }

    /// - Parameter number: of the file, in the order of the list.
    mutating func add(_ lines: [String], number: Int, isComplete: Bool) {
        guard listsComplete || !isComplete else { return }
        // Stable: the lines of one file stay in order.
        let index = entries.lastIndex { $0.number <= number }.map { $0 + 1 } ?? 0
        entries.insert(contentsOf: lines.map { Entry(number: number, line: $0) }, at: index)
    }

    /// The lines that are held back for those of files in front of them.
    var held: [String] { entries.map(\.line) }

    /// Removes and returns the lines to write now.
    ///
    /// - Parameters:
    ///   - first: the number of the first file that runs; nil: nothing is held back.
    ///   - room: how many lines may be held back. If there are more, all are said.
    mutating func take(before first: Int? = nil, room: Int = 0) -> [String] {
        let due = first.flatMap { first in entries.firstIndex { $0.number > first } } ?? entries.count
        let count = entries.count - due > room ? entries.count : due
        defer { entries.removeFirst(count) }
        return entries[..<count].map(\.line)
    }
}
