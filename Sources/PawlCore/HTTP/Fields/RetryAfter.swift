/// The `Retry-After` field (RFC 9110 §10.2.3): how long the server asks clients to wait.
package enum RetryAfter: Hashable, Sendable {
    case delay(Duration)
    case date(HTTPDate)

    /// The longest delay this type names, 2^31 seconds: what RFC 9111 §1.2.2 has recipients put in place of larger
    /// numbers. It leaves room to add the delay to any instant. The retry policy decides how long to wait.
    package static let maximumDelay = Duration.seconds(Int64(1) << 31)

    /// Parses a value; nil unless it is a non-negative whole number of seconds or an HTTP date.
    package init?(parsing value: String) {
        switch ASCII.decimal(ASCII.trimmingBlanks(Array(value.utf8)[...])) {
        case .value(let seconds):
            self = .delay(min(.seconds(seconds), Self.maximumDelay))
        case .overflow:
            self = .delay(Self.maximumDelay)
        case .notDecimal:
            guard let date = HTTPDate(parsing: value) else { return nil }
            self = .date(date)
        }
    }

    /// Returns the time to wait from the given time on; never negative, never more than `maximumDelay`.
    package func delay(wallClock secondsSinceEpoch: Int64) -> Duration {
        switch self {
        case .delay(let duration):
            return min(max(duration, .zero), Self.maximumDelay)
        case .date(let date):
            guard date.secondsSinceEpoch > secondsSinceEpoch else { return .zero }
            let (seconds, overflow) = date.secondsSinceEpoch.subtractingReportingOverflow(secondsSinceEpoch)
            return overflow ? Self.maximumDelay : min(.seconds(seconds), Self.maximumDelay)
        }
    }
}
