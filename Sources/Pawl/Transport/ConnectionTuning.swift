internal import NIOCore
internal import PawlSystem

/// Options of every new socket, set before it connects.
enum ConnectionTuning {
    /// The size of a read, each of which costs a wait, a system call and a trip through the pipeline. A compromise:
    /// over loopback, on a noisy machine, 512 KiB took less processor time on a single connection, and more on sixteen.
    /// Sixteen connections hold 4 MiB of this, and about as much again in plain text when they speak TLS. One that does
    /// not may hold 1 MiB more (``ReceiveBuffers``).
    static let receiveBufferSize = 256 * 1024

    /// A dead peer is noticed after about this long, also on a connection that we only read from (FAULTS N04).
    private static let deadPeerTimeout = 60

    static func apply(to channel: any Channel) {
        guard let options = channel.syncOptions else { return }
        // A fixed size, for an adaptive one starts small on every connection and shrinks on a slow one;
        // `HTTPConnection` sets an allocator of its own. One read per turn: the body goes to the handler after each
        // read, so that one buffer is held back at most. Only when the peer has closed does the channel read on past a
        // handler that waits, as far as the system's own receive buffer reaches.
        attempt(options, .recvAllocator, FixedSizeRecvByteBufferAllocator(capacity: receiveBufferSize))
        attempt(options, .maxMessagesPerRead, 1)
        applyKeepalive(options)
    }

    private static func applyKeepalive(_ options: any NIOSynchronousChannelOptions) {
        attempt(options, .socketOption(.so_keepalive), 1)
        #if os(Linux)
        attempt(options, .tcpOption(.init(rawValue: CInt(TCP_KEEPIDLE))), 30)
        attempt(options, .tcpOption(.init(rawValue: CInt(TCP_KEEPINTVL))), 10)
        attempt(options, .tcpOption(.init(rawValue: CInt(TCP_KEEPCNT))), 3)
        // In milliseconds (tcp(7)); bounds unacknowledged requests too, which keepalive does not.
        attempt(options, .tcpOption(.init(rawValue: CInt(TCP_USER_TIMEOUT))), deadPeerTimeout * 1000)
        #elseif canImport(Darwin)
        attempt(options, .tcpOption(.init(rawValue: TCP_KEEPALIVE)), 30)
        attempt(options, .tcpOption(.init(rawValue: TCP_KEEPINTVL)), 10)
        attempt(options, .tcpOption(.init(rawValue: TCP_KEEPCNT)), 3)
        #endif
    }

    /// Tuning only: a connection that refuses an option still works, and one that is already dead will say so when
    /// used.
    static func attempt<Option: ChannelOption>(
        _ options: any NIOSynchronousChannelOptions, _ option: Option, _ value: Option.Value
    ) {
        try? options.setOption(option, value: value)
    }
}
