/// Names one exchange with a server, in the order they were begun.
package struct ExchangeID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: ExchangeID, right: ExchangeID) -> Bool { left.number < right.number }
}

/// Chooses the range that one more connection should fetch.
///
/// Missing ranges that nobody fetches come first. Then the segment that would finish last gives up its tail, cut so
/// that both ends finish together: half of it where the two are equally fast. What is too small to cut is asked for a
/// second time when it crawls.
package struct SegmentPlanner: Hashable, Sendable {
    /// No cut leaves a smaller piece, and cuts lie on multiples of it.
    package var smallestPiece: Int64
    /// A remainder that will take less is not cut: it would be fetched before another request had begun.
    package var shortestCut: Duration = .milliseconds(150)
    /// The same for asking a second time.
    package var shortestHedge: Duration = .milliseconds(500)

    package init(smallestPiece: Int64) {
        // Proven: a setting of ours, never the user's or a server's.
        precondition(smallestPiece > 0, "a smallest piece of \(smallestPiece)")
        self.smallestPiece = smallestPiece
    }

    /// A segment being fetched.
    package struct Load: Hashable, Sendable {
        package var id: ExchangeID
        package var remaining: ByteRange
        package var bytesPerSecond: Double
        /// Two exchanges fetch this range already.
        package var isHedged: Bool

        package init(id: ExchangeID, remaining: ByteRange, bytesPerSecond: Double, isHedged: Bool) {
            self.id = id
            self.remaining = remaining
            self.bytesPerSecond = bytesPerSecond
            self.isHedged = isHedged
        }

        fileprivate var secondsLeft: Double { Double(remaining.count) / max(bytesPerSecond, 1) }
    }

    package enum Assignment: Hashable, Sendable {
        case gap(ByteRange)
        /// The victim ends at `position`; the newcomer goes on from there.
        case split(victim: ExchangeID, position: Int64)
        case hedge(victim: ExchangeID, ByteRange)
    }

    /// - Parameters:
    ///   - gaps: missing ranges that no exchange fetches.
    ///   - newcomerBytesPerSecond: what the new connection is expected to bring; zero when nothing is known.
    package func assignment(
        gaps: [ByteRange], loads: [Load], newcomerBytesPerSecond: Double
    ) -> Assignment? {
        if let largest = gaps.max(by: { $0.count < $1.count }) { return .gap(largest) }
        // Ties are broken by age, so that the same facts give the same plan.
        let slowestFirst = loads.sorted { ($0.secondsLeft, $1.id) > ($1.secondsLeft, $0.id) }
        for load in slowestFirst {
            if let position = cut(load, newcomerBytesPerSecond: newcomerBytesPerSecond) {
                return .split(victim: load.id, position: position)
            }
            if !load.isHedged, !load.remaining.isEmpty, isWorthHedging(load, newcomerBytesPerSecond) {
                return .hedge(victim: load.id, load.remaining)
            }
        }
        return nil
    }

    private func cut(_ load: Load, newcomerBytesPerSecond: Double) -> Int64? {
        // A hedged range has two owners, and both would have to be cut.
        guard !load.isHedged, load.remaining.count >= 2 * smallestPiece else { return nil }
        guard load.bytesPerSecond <= 0 || load.secondsLeft >= shortestCut.inSeconds else { return nil }
        var kept = 0.5
        if newcomerBytesPerSecond > 0 {
            kept = load.bytesPerSecond / (load.bytesPerSecond + newcomerBytesPerSecond)
        }
        let lowest = (load.remaining.start + 2 * smallestPiece - 1) / smallestPiece * smallestPiece
        let highest = (load.remaining.end - smallestPiece) / smallestPiece * smallestPiece
        guard lowest <= highest else { return nil }
        // A total is the server's word, up to the last number there is: the share may round up to more than fits.
        let share = Int64(exactly: (Double(load.remaining.count) * kept).rounded(.down)) ?? load.remaining.count
        let wanted = min(load.remaining.start + min(share, load.remaining.count), highest)
        let aligned = (wanted + smallestPiece / 2) / smallestPiece * smallestPiece
        return min(max(aligned, lowest), highest)
    }

    private func isWorthHedging(_ load: Load, _ newcomerBytesPerSecond: Double) -> Bool {
        guard load.secondsLeft >= shortestHedge.inSeconds else { return false }
        return newcomerBytesPerSecond > 2 * load.bytesPerSecond
    }
}
