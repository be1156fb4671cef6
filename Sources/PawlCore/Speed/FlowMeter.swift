/// A meter of the bytes that an exchange has brought, when, and how fast.
package struct FlowMeter: Sendable {
    /// A connection that crawls for this long is dropped.
    static let maximumCrawl: Duration = .seconds(30)

    package let began: Instant
    package private(set) var received: Int64 = 0
    package private(set) var lastReceived: Instant
    /// The disk, the limit or the reader of a stream holds it back now: its rate says nothing of the server.
    package private(set) var isHeldByUs = false
    /// A moving average with a time constant of one second.
    package private(set) var bytesPerSecond: Double = 0
    private var crawlsSince: Instant?
    private var sample: (at: Instant, received: Int64)

    init(at now: Instant) {
        began = now
        lastReceived = now
        sample = (now, 0)
    }

    /// Notes the number of bytes received in all.
    mutating func note(received total: Int64, isHeldByUs: Bool, at now: Instant) {
        self.isHeldByUs = isHeldByUs
        guard total > received || isHeldByUs else { return }
        received = max(received, total)
        lastReceived = now
    }

    /// The rate it can be relied on to deliver. Many servers shape with bursts, after which the recent rate promises
    /// too much, so the average since it began bounds it.
    func dependableRate(at now: Instant) -> Double {
        min(bytesPerSecond, Double(received) / max((now - began).inSeconds, 0.05))
    }

    /// Whether the rate is known. False for a flow that has only begun, or ended before anyone looked: a rate of zero
    /// may then be wrong.
    var isMeasured: Bool { bytesPerSecond > 0 || sample.at - began >= .seconds(1) }

    mutating func sampleRate(at now: Instant) {
        let elapsed = (now - sample.at).inSeconds
        guard elapsed >= 0.05 else { return }
        let current = Double(received - sample.received) / elapsed
        let weight = bytesPerSecond == 0 ? 1 : min(1, elapsed)
        bytesPerSecond += (current - bytesPerSecond) * weight
        sample = (now, received)
    }

    /// Whether it has crawled without a pause for so long that it is to be given up.
    ///
    /// - Parameter isCrawling: it is far slower than its fellows now.
    mutating func hasCrawledTooLong(_ isCrawling: Bool, at now: Instant) -> Bool {
        guard isCrawling else {
            crawlsSince = nil
            return false
        }
        guard let since = crawlsSince else {
            crawlsSince = now
            return false
        }
        return now - since >= Self.maximumCrawl
    }
}
