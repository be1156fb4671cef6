import PawlCore

/// The line that aria2 draws once a second.
package struct Aria2Readout: Sendable {
    package struct Running: Hashable, Sendable {
        package var gid: GID
        package var path: String
        package var stored: Int64
        /// The total number of bytes; nil while it is unknown.
        package var total: Int64?
        package var connections: Int
        /// The speed in bytes per second.
        package var speed: Int64

        package init(gid: GID, path: String, stored: Int64, total: Int64?, connections: Int, speed: Int64) {
            (self.gid, self.path, self.stored, self.total, self.connections, self.speed) = (
                gid, path, stored, total, connections, speed
            )
        }
    }

    package var isForPeople: Bool
    package var isColoured: Bool

    package init(isForPeople: Bool, isColoured: Bool) {
        (self.isForPeople, self.isColoured) = (isForPeople, isColoured)
    }

    /// The number of downloads shown; further ones are only counted.
    private static let shown = 5

    package func line(_ running: [Running]) -> String {
        if running.count == 1 { return part(running[0]) }
        let speed = running.reduce(0) { $0 + $1.speed }
        let parts = running.prefix(Self.shown).map {
            "\(colour("[", .magenta))#\($0.gid.short) \(amount($0))\(colour("]", .magenta))"
        }
        let rest = running.count > Self.shown ? "(+\(running.count - Self.shown))" : ""
        return "\(colour("[", .magenta))DL:\(colour(size(speed), .green))\(colour("]", .magenta))" + parts.joined()
            + rest
    }

    /// Returns the summary that is shown from time to time, each download with its file.
    ///
    /// - Parameters:
    ///   - date: as `asctime(3)` writes it.
    ///   - width: in columns.
    package func summary(_ running: [Running], date: String, width: Int) -> String {
        let head = " *** Download Progress Summary as of \(date) *** \n" + String(repeating: "=", count: width) + "\n"
        return head
            + running.map {
                "\(part($0))\nFILE: \(Aria2Text.shown($0.path))\n" + String(repeating: "-", count: width) + "\n"
            }.joined()
    }

    private func part(_ one: Running) -> String {
        let left = one.total.map { max(0, $0 - one.stored) } ?? 0
        let eta =
            one.speed > 0 && left / one.speed > 0
            ? " ETA:" + colour(Aria2Text.time(seconds: left / one.speed), .yellow) : ""
        return
            "\(colour("[", .magenta))#\(one.gid.short) \(amount(one)) CN:\(one.connections) DL:\(colour(size(one.speed), .green))\(eta)\(colour("]", .magenta))"
    }

    private func amount(_ one: Running) -> String {
        let total = one.total ?? 0
        return "\(size(one.stored))/\(size(total))"
            + (total > 0 ? colour("(\(100 * min(one.stored, total) / total)%)", .cyan) : "")
    }

    private func size(_ bytes: Int64) -> String { Aria2Text.size(bytes, isForPeople: isForPeople) }

    private enum Colour: Int { case green = 32, yellow, magenta = 35, cyan }

    private func colour(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
