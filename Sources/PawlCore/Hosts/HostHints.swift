/// What is remembered of a host when a download to it begins. Nothing of it is believed for ever: caps are probed upwards.
package struct HostHints: Hashable, Sendable {
    /// How many connections to begin with at most; nil when it bore as many as wanted.
    package var connectionCap: Int?
    /// How many it is known to bear, where one more than that is to be tried.
    package var borne: Int?
    /// Its ranges were wrong or ignored, so one connection is all that is of use at first.
    package var distrustsRanges = false
    /// It answers a request with `If-Range` by an error.
    package var refusesIfRange = false
    /// It told an earlier run to send no requests until then. May be further away than anyone would wait.
    package var restsUntil: Instant?

    package init() {}

    /// How many connections to begin with at most.
    var firstCeiling: Int { distrustsRanges ? 1 : max(1, connectionCap ?? .max) }
}

/// What a download has learned of a host.
package enum HostObservation: Hashable, Sendable {
    case rangesHonoured
    /// It sends the whole file, or other bytes than asked for.
    case rangesWrong
    /// So many connections are made use of: more were refused, or a clean minute has raised the number.
    case connectionCap(Int)
    /// As many as wanted were borne.
    case capLifted
    case refusesIfRange
    /// It would not have one connection more: it said so, or, with `isClosed`, closed that before it answered, or did not take it at all.
    case refusedConnection(isClosed: Bool)
    /// It said 429 or 503 with a `Retry-After`.
    case busy(until: Instant)
}

extension HTTPURL {
    /// How limits per host tell hosts apart: `host:port`.
    package var hostKey: String { "\(host):\(effectivePort)" }

    /// How a host is remembered: `scheme://host:port`, and nothing of what was asked there.
    package var originKey: String { "\(scheme == .https ? "https" : "http")://\(host):\(effectivePort)" }
}
