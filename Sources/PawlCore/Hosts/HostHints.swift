/// Facts remembered about a host when a download from it begins. None lasts for ever: caps are probed upwards.
package struct HostHints: Hashable, Sendable {
    /// The most connections to begin with; nil if it accepted as many as were wanted.
    package var connectionCap: Int?
    /// The number of connections that the host is known to accept, if one more should be tried.
    package var borne: Int?
    /// The host ignored ranges or answered them wrongly, so begin with one connection.
    package var distrustsRanges = false
    /// The host answers a request with `If-Range` by an error.
    package var refusesIfRange = false
    package var rest: Rest?

    /// A wait that the host asked an earlier run for, possibly a longer one than anyone would wait.
    package struct Rest: Hashable, Sendable {
        package var until: Instant
        /// The time from the host's request to the end of the rest.
        package var length: Duration
        /// The time of the host's request, in seconds since 1970.
        package var asked: Int64

        package init(until: Instant, length: Duration, asked: Int64) {
            (self.until, self.length, self.asked) = (until, length, asked)
        }
    }

    package init() {}

    /// The largest number of connections to begin with.
    var firstCeiling: Int { distrustsRanges ? 1 : max(1, connectionCap ?? .max) }
}

/// The facts remembered about the hosts of a download's URLs, by ``HTTPURL/originKey``.
package struct KnownHosts: Hashable, Sendable {
    private var hints: [String: HostHints] = [:]
    /// The host (``HTTPURL/hostKey``) from which other downloads of the queue have had bytes; nil if that is not known.
    package var serving: String?

    package init() {}

    var isEmpty: Bool { hints.isEmpty }

    package subscript(origin: String) -> HostHints? {
        get { hints[origin] }
        set { hints[origin] = newValue }
    }
}

/// A fact that a download has learned about a host.
package enum HostObservation: Hashable, Sendable {
    case rangesHonoured
    /// The host sends the whole file, or other bytes than requested.
    case rangesWrong
    /// The number of connections in use: more were refused, or a minute without refusals has raised the number.
    case connectionCap(Int)
    /// The host accepted as many connections as were wanted.
    case capLifted
    case refusesIfRange
    /// The host refused one more connection: with a response or, with `isClosed`, by closing it before a response, or
    /// by not accepting it at all.
    case refusedConnection(isClosed: Bool)
    /// The host responded 429 or 503 with a `Retry-After`.
    case busy(until: Instant)
    /// The file came although the host had asked for a wait.
    case serves
}

extension HTTPURL {
    /// The key by which limits per host tell hosts apart: `host:port`.
    package var hostKey: String { host + ":" + String(effectivePort) }

    /// The key by which a host is remembered: `scheme://host:port`, and nothing of the rest of the URL.
    package var originKey: String { (scheme == .https ? "https://" : "http://") + hostKey }
}
