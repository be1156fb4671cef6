/// The rate at which a connection may be read as long as a speed limit holds, so that no more is taken in ahead of it
/// than the limit allows for.
package struct Pace: Hashable, Sendable {
    /// The connection's equal share, positive.
    package var bytesPerSecond: Int64
    /// The rate available when all others leave their share to this connection; not below `bytesPerSecond`.
    package var maximumBytesPerSecond: Int64

    package init(bytesPerSecond: Int64, maximumBytesPerSecond: Int64) {
        self.bytesPerSecond = bytesPerSecond
        self.maximumBytesPerSecond = maximumBytesPerSecond
    }

    /// The number of bytes to read at once: a twentieth of a second's worth, as it is granted
    /// (``TokenBucket/largestGrant``), though not so few that the read costs more than it brings.
    package var readSize: Int { Int(clamping: max(1024, bytesPerSecond / 20)) }

    /// Returns the number of bytes that may lie unread in the system's buffer, which the peer fills as fast as it can
    /// when the connection begins: all of it comes on top of the rate, once.
    ///
    /// Close by, a thirty-second part of a second's worth, of which systems make up to twice as much: room for half of
    /// a grant. A peer that is far away must be told of room a round trip before it can fill it, so there is room for
    /// what comes in that time; also for half of the rate, in case the others do not use theirs.
    package func bufferSize(roundTrip: Duration) -> Int {
        let close = Double(bytesPerSecond) / 32
        let underWay = 1.25 * max(Double(bytesPerSecond), Double(maximumBytesPerSecond) / 2) * roundTrip.inSeconds
        // Proven: in the range of Int64, and not NaN, since both are sums of finite numbers.
        return Int(clamping: Int64(max(4096, min(close + underWay, 1e12))))
    }
}
