/// A span of time for people.
package enum TimeSpan {
    /// The length of the longest text of ``text(_:)``.
    package static let width = 9

    /// `28 s`, `3:05`, `1:02:03`, `2 d 3 h`.
    package static func text(_ seconds: Double) -> String {
        let seconds = max(0, Int64(saturating: seconds.rounded(.up)))
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
        if minutes == 0 { return "\(seconds) s" }
        if hours == 0 { return "\(minutes):\(twoDigits(seconds % 60))" }
        if days == 0 { return "\(hours):\(twoDigits(minutes % 60)):\(twoDigits(seconds % 60))" }
        return days > 99 ? "over 99 d" : "\(days) d \(hours % 24) h"
    }

    /// Returns an elapsed time: `8 ms`, `2.3 s`, and from ten seconds on as ``text(_:)``.
    package static func elapsedText(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        // Proven: less than a thousand.
        guard seconds >= 0.9995 else { return "\(max(1, Int((seconds * 1000).rounded()))) ms" }
        guard seconds < 9.95 else { return text(seconds.rounded()) }
        // Proven: less than ten seconds.
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
