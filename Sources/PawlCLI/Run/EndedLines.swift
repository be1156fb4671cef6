/// The lines about files that have ended, in the order of the list.
///
/// Of a long list, complete files are only counted, in the progress and in the summary.
struct EndedLines {
    /// The longest list whose complete files have a line each.
    static let maximumListed = 100

    private struct Entry {
        var number: Int
        var line: String
        /// How often it was held back.
        var looks = 0
    }

    /// How often a line is held back for those of files in front of it that still run, so that files that end together
    /// are listed in order.
    private let patience: Int
    private let listsComplete: Bool
    private var entries: [Entry] = []

    /// - Parameter count: of the files in the run.
    init(count: Int, patience: Int = 0) {
        listsComplete = count <= Self.maximumListed
        self.patience = patience
    }

    /// - Parameter number: of the file, in the order of the list.
    mutating func add(_ lines: [String], number: Int, isComplete: Bool) {
        guard listsComplete || !isComplete else { return }
        entries += lines.map { Entry(number: number, line: $0) }
    }

    /// Removes and returns the lines to write now.
    ///
    /// - Parameter first: the number of the first file that runs; nil: nothing is held back.
    mutating func take(before first: Int? = nil) -> [String] {
        guard !entries.isEmpty else { return [] }
        let isDue = { [patience] (entry: Entry) in first.map { entry.number < $0 } ?? true || entry.looks >= patience }
        let last = entries.filter(isDue).map(\.number).max()
        // Nothing overtakes what was held back in front of it.
        let due = entries.filter { entry in last.map { entry.number <= $0 } ?? false }
        entries.removeAll { entry in last.map { entry.number <= $0 } ?? false }
        for index in entries.indices { entries[index].looks += 1 }
        // Stable: a file's own lines stay in order.
        return due.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
            .map(\.element.line)
    }
}
