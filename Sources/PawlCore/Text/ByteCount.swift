/// A number of bytes for people: three digits or so, and a unit that is a power of 1024.
package enum ByteCount {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    /// The length of the longest text, such as `1023 KiB`.
    package static let width = 8

    package static func text(_ count: Int64) -> String {
        let count = max(0, count)
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 1
        // What would be rounded to 1024 belongs to the next unit.
        while value.rounded() >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(digits(value)) \(units[unit])"
    }

    /// `1.46 GiB (1,567,890,123 bytes)`.
    package static func exactText(_ count: Int64) -> String {
        count < 1024 ? "\(count) bytes" : "\(text(count)) (\(grouped(count)) bytes)"
    }

    private static func digits(_ value: Double) -> String {
        // Proven, here and below: at most four digits are left of the point once the unit is chosen.
        let hundredths = Int((value * 100).rounded())
        if hundredths < 1000 { return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)" }
        // Proven: as above.
        let tenths = Int((value * 10).rounded())
        if tenths < 1000 { return "\(tenths / 10).\(tenths % 10)" }
        // Proven: as above.
        return "\(Int(value.rounded()))"
    }

    /// `1,234,567`.
    package static func grouped(_ count: Int64) -> String {
        var groups = ""
        for (index, digit) in String(count).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { groups.append(",") }
            groups.append(digit)
        }
        return String(groups.reversed())
    }
}

/// Bytes per second for people.
package enum Rate {
    /// The length of the longest text, such as `1023 KiB/s`.
    package static let width = ByteCount.width + 2

    package static func text(_ bytesPerSecond: Double) -> String {
        ByteCount.text(Int64(saturating: bytesPerSecond)) + "/s"
    }
}
