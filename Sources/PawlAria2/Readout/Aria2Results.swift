import PawlCore

/// The table that aria2 ends with.
package struct Aria2Results: Sendable {
    package enum End: Hashable, Sendable {
        case complete
        /// The download failed with this error number of aria2.
        case failed(Int)
        case unfinished
        case removed
    }

    package struct Row: Hashable, Sendable {
        package var gid: GID
        package var end: End
        /// The average speed over the time that the download ran, in bytes per second; nil if it never ran.
        package var speed: Int64?
        package var percentage: Int64?
        /// The path of the file, or its source if it never had a path.
        package var path: String

        package init(gid: GID, end: End, speed: Int64?, percentage: Int64?, path: String) {
            (self.gid, self.end, self.speed, self.percentage, self.path) = (gid, end, speed, percentage, path)
        }
    }

    /// The rows in the order in which the downloads ended; only the latest, if there are many.
    package private(set) var rows: [Row] = []
    private var lastError: Int?
    private let limit: Int

    /// - Parameter limit: of rows that are kept.
    package init(limit: Int = .max) { self.limit = limit }

    package mutating func append(_ row: Row) {
        if case .failed(let number) = row.end { lastError = number }
        rows.append(row)
        // Some at a time.
        if rows.count / 2 > limit { rows.removeFirst(rows.count - limit) }
    }

    /// The exit status as in aria2: that of the last error; else whether downloads are unfinished.
    package var exitStatus: Int {
        lastError ?? (rows.contains { $0.end == .unfinished } ? Aria2Status.unfinished : Aria2Status.complete)
    }

    package func table(isFull: Bool, isColoured: Bool) -> String {
        var text = "\nDownload Results:\ngid   |stat|avg speed  |\(isFull ? "  %|" : "")path/URI\n"
        text += "======+====+===========+\(isFull ? "===+" : "")\(String(repeating: "=", count: isFull ? 51 : 55))\n"
        for row in rows.suffix(limit) {
            let speed = Aria2Text.right(row.speed.map { Aria2Text.size($0) + "/s" } ?? "n/a", 11)
            let percentage = isFull ? Aria2Text.right(row.percentage.map { "\($0)" } ?? "-", 3) + "|" : ""
            text +=
                "\(row.gid.short)|\(Self.word(row.end, isColoured))|\(speed)|\(percentage)\(Aria2Text.shown(row.path))\n"
        }
        let legend = Self.legend.filter { kind in rows.contains { Self.kind($0.end) == kind.kind } }.map(\.text)
        return legend.isEmpty ? text : text + "\nStatus Legend:\n" + legend.joined() + "\n"
    }

    private enum Kind: Hashable { case complete, failed, unfinished, removed }

    private static func kind(_ end: End) -> Kind {
        switch end {
        case .complete: .complete
        case .failed: .failed
        case .unfinished: .unfinished
        case .removed: .removed
        }
    }

    private static let legend: [(kind: Kind, text: String)] = [
        (.complete, "(OK):download completed."), (.failed, "(ERR):error occurred."),
        (.unfinished, "(INPR):download in-progress."), (.removed, "(RM):download removed."),
    ]

    private static func word(_ end: End, _ isColoured: Bool) -> String {
        let (word, colour) =
            switch kind(end) {
            case .complete: ("OK", "1;32")
            case .failed: ("ERR", "1;31")
            case .unfinished: ("INPR", "1;34")
            case .removed: ("RM", "1")
            }
        let blanks = String(repeating: " ", count: 4 - word.utf8.count)
        return (isColoured ? "\u{1B}[\(colour)m\(word)\u{1B}[0m" : word) + blanks
    }
}
