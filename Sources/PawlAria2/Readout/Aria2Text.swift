import PawlCore

/// Sizes and times as aria2 writes them.
package enum Aria2Text {
    /// `1.5MiB`; bytes alone if it is not for people.
    package static func size(_ bytes: Int64, isForPeople: Bool = true) -> String {
        guard isForPeople else { return "\(bytes)B" }
        let units = ["", "Ki", "Mi", "Gi"]
        var (whole, rest, unit) = (bytes, Int64(0), 0)
        while whole >= 1024, unit + 1 < units.count {
            (whole, rest) = whole.quotientAndRemainder(dividingBy: 1024)
            unit += 1
        }
        if unit + 1 < units.count, whole >= 922 { (whole, rest, unit) = (0, whole, unit + 1) }
        let tenths = whole < 10 && unit > 0 ? ".\(rest * 10 / 1024)" : ""
        return "\(whole)\(tenths)\(units[unit])B"
    }

    /// `1h2m3s`.
    package static func time(seconds: Int64) -> String {
        let (hours, minutes, rest) = (seconds / 3600, seconds % 3600 / 60, seconds % 60)
        let parts = [
            hours > 0 ? "\(hours)h" : "", minutes > 0 ? "\(minutes)m" : "", rest > 0 || seconds == 0 ? "\(rest)s" : "",
        ]
        return parts.joined()
    }

    /// Returns the text on one line, safe for a terminal and a log: names, URLs and messages may hold what a server
    /// chose.
    package static func shown(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                shown.append(" ")
            } else if let escape = scalar.terminalEscape {
                shown.append(escape)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Spaces in front.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
