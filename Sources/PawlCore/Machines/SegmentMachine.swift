/// One exchange of a download: the request, where its bytes go, and how it is doing.
package struct SegmentMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// Its host has as many connections as it may; the request goes out when one ends. Next: `asked`, `cancelled`.
        case parked
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
    /// What its request said of who asks.
    package var proof: Authenticator.Proof = .none
    /// Everything from the segment's first byte to here is in the partial file.
    package var position: Int64
    /// Where it stops; nil runs to the end of the message.
    package var end: Int64?
    /// Where the response said that its bytes end.
    package var announcedEnd: Int64?
    /// This many held bytes before the first new one are asked for again and compared (FAULTS R15).
    package var overlap: Int64
    /// It brings the whole file, held bytes included.
    package var isFromZero = false
    /// Its answer named no length.
    package var isOpenEnded = false
    /// The value of Content-Type of an answer with several parts, which says how to take it apart.
    package var partsType: String?
    /// A kept connection lost its request, which now goes out a second time, on a fresh one.
    package var isRepeat = false
    /// Begun beside others: it can be spared.
    package var isExtra = false
    /// The exchange whose remainder this one asks for a second time.
    package var hedges: ExchangeID?
    package private(set) var received: Int64 = 0
    package private(set) var lastReceived: Instant
    /// The disk, the limit or the reader of a stream holds it back now: its rate says nothing of the server.
    package private(set) var isHeldByUs = false
    package private(set) var bytesPerSecond: Double = 0
    package var slowSince: Instant?
    package let began: Instant
    private var rateSample: (at: Instant, received: Int64)

    package init(
        id: ExchangeID, source: SourceID, url: HTTPURL, request: RangeRequest, position: Int64, end: Int64?, overlap: Int64,
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
        began = now
        state = .asked(since: now)
        lastReceived = now
        rateSample = (now, 0)
    }

    /// For whoever looks for the cause of a wrong state.
    var summary: String {
        "\(id.number) of \(source.number): \(position)..<\(end.map(String.init) ?? "?")"
            + (hedges.map { " again for \($0.number)" } ?? "") + (isLive ? "" : ", cancelled")
    }

    package var isLive: Bool { state != .cancelled }

    package var isFlowing: Bool { state == .flowing }

    /// What it still has to bring; nil while that is not known.
    package var remaining: ByteRange? {
        end.flatMap { ByteRange(start: min(position, $0), end: $0) }
    }

    /// Notes what arrived. The rate is an average that forgets with a time constant of a second.
    package mutating func advance(to stored: Int64, received total: Int64, isHeldByUs: Bool, at now: Instant) {
        position = max(position, stored)
        self.isHeldByUs = isHeldByUs
        if total > received || isHeldByUs {
            received = max(received, total)
            lastReceived = now
        }
    }

    /// What it can be counted on to bring. Many servers shape with bursts, after which the recent rate promises too much, so the average
    /// since it began bounds it.
    package func dependableRate(at now: Instant) -> Double {
        min(bytesPerSecond, Double(received) / max((now - began).inSeconds, 0.05))
    }

    /// False of one that has only begun, or ended before anyone looked: a rate of zero is then not known to be one.
    package var isMeasured: Bool { bytesPerSecond > 0 || rateSample.at - began >= .seconds(1) }

    package mutating func sampleRate(at now: Instant) {
        let elapsed = (now - rateSample.at).inSeconds
        guard elapsed >= 0.05 else { return }
        let current = Double(received - rateSample.received) / elapsed
        let weight = bytesPerSecond == 0 ? 1 : min(1, elapsed)
        bytesPerSecond += (current - bytesPerSecond) * weight
        rateSample = (now, received)
    }
}
