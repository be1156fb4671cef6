/// Sees from what a connection brings whether a receive buffer that was sized by its ``Pace`` is full, or too small for
/// the way.
package struct BufferWatch: Sendable {
    package struct Look: Sendable {
        var at: Instant
        /// The number of bytes received so far.
        var bytesReceived: UInt64
        /// The round-trip time as the receiver knows it.
        var roundTrip: Duration

        package init(at: Instant, bytesReceived: UInt64, roundTrip: Duration) {
            self.at = at
            self.bytesReceived = bytesReceived
            self.roundTrip = roundTrip
        }
    }

    /// A look, and how long reads had been held until then.
    private typealias Mark = (look: Look, held: Duration)

    private var heldSince: Instant?
    private var held = Duration.zero
    private var lastLook: Mark?
    private var period: Mark?

    /// A round trip that is measured by what comes contains the peer's pauses: it is not believed to be longer.
    private static let maximumRoundTrip: Duration = .seconds(1)

    package init() {}

    /// The limit lets nothing more be read.
    package mutating func hold(at now: Instant) { heldSince = heldSince ?? now }

    /// Notes that reading resumes.
    package mutating func resume(at now: Instant) {
        if let since = heldSince, now > since { held += now - since }
        heldSince = nil
    }

    // MARK: Full

    /// The next look is the first.
    package mutating func forgetLook() { lastLook = nil }

    package func isLookDue(at now: Instant) -> Bool { lastLook.map { now - $0.look.at >= .milliseconds(20) } ?? true }

    /// Whether nothing has come since the last look, though all that was under way would have, and though the peer
    /// could send more, had it been told of room: as long as nobody holds reads it is the peer that pauses.
    package mutating func isFull(_ look: Look) -> Bool {
        defer { lastLook = (look, held) }
        guard let last = lastLook else { return false }
        return look.bytesReceived == last.look.bytesReceived && look.at - last.look.at > look.roundTrip * 2
            && held > last.held
    }

    // MARK: Too small

    package func isPeriodOver(at now: Instant) -> Bool { period.map { now - $0.look.at >= .seconds(1) } ?? true }

    /// The size that a buffer of `size` must grow to, once a period is over: the way is longer than it was when the
    /// buffer was sized.
    ///
    /// Only where the buffer is what keeps the connection slow: hardly ever was it the limit, and a round trip brings
    /// about what the buffer takes, which a slow peer does not.
    package mutating func largerSize(than size: Int, for pace: Pace, _ look: Look) -> Int? {
        defer { period = (look, held) }
        guard let began = period, look.bytesReceived >= began.look.bytesReceived else { return nil }
        let time = look.at - began.look.at
        guard held - began.held < time / 4 else { return nil }
        let roundTrip = min(look.roundTrip, Self.maximumRoundTrip)
        let brought = Double(look.bytesReceived - began.look.bytesReceived) * (roundTrip.inSeconds / time.inSeconds)
        let wanted = pace.bufferSize(roundTrip: roundTrip)
        return brought >= Double(size) / 2 && wanted > size ? wanted : nil
    }
}
