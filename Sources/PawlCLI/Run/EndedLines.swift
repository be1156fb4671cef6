/// Limits the lines about ended files to what a person can read. Beyond that, one is shown and the others are counted.
struct EndedLines {
    /// From one look to the next.
    let limit: Int
    private var lines: [String] = []
    private var names: [String] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ line: String, name: String) {
        if lines.count < limit { lines.append(line) }
        names.append(name)
    }

    /// Removes and returns the lines to write now.
    mutating func take() -> [String] {
        defer {
            lines = []
            names = []
        }
        guard names.count > limit, let last = names.last else { return lines }
        return ["\(last) and \(names.count - 1) others"]
    }
}
