/// The kind of addresses that connections are made to.
public enum AddressFamily: String, Hashable, Sendable, CaseIterable {
    /// IPv6 and IPv4, whichever answers first (RFC 8305).
    case any
    case ipv4
    case ipv6
}
