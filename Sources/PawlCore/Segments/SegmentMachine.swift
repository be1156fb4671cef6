/// An exchange of a download: the request, the place of its bytes, and its progress.
package struct SegmentMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// The host has as many connections as it may; the request goes out when one ends. Next: `asked`, `cancelled`.
        case awaitingPermit
        /// The request is out; next: `held`, `flowing`, `cancelled`, or a new request after a redirect.
        case asked(since: Instant)
        /// The answer is good and waits for the partial file; next: `flowing`, `cancelled`.
        case held
        /// Bytes are being stored; next: `cancelled` or the end.
        case flowing
        /// Given up by us; only its end is awaited.
        case cancelled
    }

    package let id: ExchangeID
    package let source: SourceID
    package var state: State
    package var url: HTTPURL
    /// URLs that redirected to this one.
    package var visited: [HTTPURL] = []
    package var request: RangeRequest
    /// The authentication that the request carried.
    package var proof: Authenticator.Proof = .none
    /// Everything from the segment's first byte to here is in the partial file.
    package var position: Int64
    /// The position at which the exchange stops; nil if it runs to the end of the message.
    package var end: Int64?
    /// This many held bytes before the first new one are asked for again and compared (FAULTS R15).
    package var overlap: Int64
    var answer = SegmentAnswer()
    /// A kept connection lost its request, which now goes out a second time, on a fresh one.
    package var isRepeat = false
    /// Begun beside others: it can be spared.
    package var isExtra = false
    /// Asks whether this source answers, while another is waited for. It stores nothing.
    package var isProbe = false
    /// The exchange whose remainder this one asks for a second time.
    package var hedges: ExchangeID?
    package internal(set) var meter: FlowMeter

    package init(
        id: ExchangeID, source: SourceID, url: HTTPURL, request: RangeRequest, position: Int64, end: Int64?,
        overlap: Int64,
        hedges: ExchangeID? = nil, at now: Instant
    ) {
        self.id = id
        self.source = source
        self.url = url
        self.request = request
        self.position = position
        self.end = end
        self.overlap = overlap
        self.hedges = hedges
        meter = FlowMeter(at: now)
        state = .asked(since: now)
    }

    /// A description for finding the cause of a wrong state.
    var summary: String {
        "\(id.number) of \(source.number): \(position)..<\(end.map(String.init) ?? "?")"
            + (hedges.map { " again for \($0.number)" } ?? "") + (isLive ? "" : ", cancelled")
    }

    package var isLive: Bool { state != .cancelled }

    package var isFlowing: Bool { state == .flowing }

    /// The range still to be received; nil while the end is not known.
    package var remaining: ByteRange? {
        end.flatMap { ByteRange(start: min(position, $0), end: $0) }
    }

    package var began: Instant { meter.began }

    /// Notes what arrived.
    package mutating func advance(to stored: Int64, received total: Int64, isHeldByUs: Bool, at now: Instant) {
        position = max(position, stored)
        meter.note(received: total, isHeldByUs: isHeldByUs, at: now)
    }
}

/// The facts that the response to an exchange stated about its bytes.
struct SegmentAnswer: Hashable, Sendable {
    /// The rule's verdict; nil if the rule was not asked, as for a challenge.
    var verdict: Verdict?
    /// The position at which the response said that its bytes end.
    var announcedEnd: Int64?
    /// Whether the response brings the whole file, held bytes included.
    var isFromZero = false
    /// Whether the response stated no length.
    var isOpenEnded = false
    /// The value of Content-Type where it has several parts, which says how to take it apart.
    var partsType: String?
    /// See ``ResponseHead/explanation``.
    var explanation: String?

    /// The whole file comes in place of what was asked for.
    ///
    /// - Parameters:
    ///   - total: how long the file is, as far as that is known.
    ///   - isOpenEnded: the answer itself does not say.
    mutating func noteWhole(total: Int64?, isOpenEnded: Bool) {
        isFromZero = true
        announcedEnd = total
        self.isOpenEnded = isOpenEnded
    }
}
