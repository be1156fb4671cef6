package enum Percentage {
    /// Rounded down, so that 100 means all of it.
    package static func of(_ part: Int64, _ total: Int64) -> Int {
        guard total > 0 else { return 100 }
        guard part < total else { return 100 }
        // Proven: part is less than total, so the quotient is at most one.
        return min(99, Int(Double(max(0, part)) / Double(total) * 100))
    }
}
