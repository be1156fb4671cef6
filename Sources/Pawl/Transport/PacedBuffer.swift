#if os(Linux)
internal import NIOCore
internal import PawlCore
internal import PawlSystem

/// The system's receive buffer of a connection that a speed limit holds: set by ``Pace/bufferSize(roundTrip:)``, and
/// given back to the system when the limit is lifted.
struct PacedBuffer {
    /// The usual bound for a buffer that a program sets (`net.core.rmem_max`). A connection that would need more is
    /// left to the system.
    private static let largest = 192 * 1024

    /// The size that the system was told to use; nil if it decides by itself.
    private var size: Int?
    /// The smaller size to set as soon as that costs nothing.
    private var smaller: Int?
    private var watch = BufferWatch()

    /// Sets the buffer's size before a socket connects.
    static func prepare(_ channel: any Channel, for pace: Pace) {
        guard let options = channel.syncOptions, canBeFreed(options), let size = size(pace, roundTrip: .zero) else {
            return
        }
        ConnectionTuning.attempt(options, receiveBuffer, size)
        // Or the window could never grow beyond 64 KiB, as its scale is chosen now (RFC 7323 §2.2) and by the buffer's
        // limit.
        free(options)
    }

    mutating func follow(_ pace: Pace?, on channel: any Channel) {
        guard let options = channel.syncOptions else { return }
        smaller = nil
        guard let pace, let wanted = Self.size(pace, roundTrip: TCPInfo(of: channel).roundTrip),
            Self.canBeFreed(options)
        else {
            return giveBack(options)
        }
        // Doubled by the system (socket(7)).
        guard let held = try? options.getOption(Self.receiveBuffer), wanted < held / 2 else {
            return set(wanted, options)
        }
        // It does not follow each small step.
        guard size == nil || wanted < held / 4 else { return }
        smaller = wanted
        watch.forgetLook()
    }

    /// Notes that reading stops for now.
    mutating func hold() { watch.hold(at: Self.now) }

    /// Watches the buffer. Call it each time before more is read, or would be, once it has followed the pace.
    mutating func watch(_ pace: Pace, on channel: any Channel) {
        let now = Self.now
        watch.resume(at: now)
        guard let options = channel.syncOptions else { return }
        growIfDue(pace, channel, options, now)
        shrinkIfDue(channel, options, now)
    }

    /// The round trip that it was sized by may be from a handshake long ago: it is told only by what we send, and we
    /// send no more.
    private mutating func growIfDue(
        _ pace: Pace, _ channel: any Channel, _ options: any NIOSynchronousChannelOptions, _ now: Instant
    ) {
        guard let size, watch.isPeriodOver(at: now) else { return }
        let info = TCPInfo(of: channel)
        let look = BufferWatch.Look(
            at: now, bytesReceived: info.bytesReceived, roundTrip: max(info.roundTrip, info.receiversRoundTrip))
        guard let larger = watch.largerSize(than: size, for: pace, look) else { return }
        smaller = nil
        if larger <= Self.largest { set(larger, options) } else { giveBack(options) }
    }

    /// A buffer that shrinks has no room for what was promised to the peer and is under way: that would be lost, and
    /// sent again after seconds. So it waits until nothing comes any more while reads are held, for then the buffer is
    /// full and the peer knows it.
    private mutating func shrinkIfDue(
        _ channel: any Channel, _ options: any NIOSynchronousChannelOptions, _ now: Instant
    ) {
        guard let smaller, watch.isLookDue(at: now) else { return }
        let info = TCPInfo(of: channel)
        guard watch.isFull(BufferWatch.Look(at: now, bytesReceived: info.bytesReceived, roundTrip: info.roundTrip))
        else { return }
        self.smaller = nil
        set(smaller, options)
    }

    private mutating func set(_ size: Int, _ options: any NIOSynchronousChannelOptions) {
        self.size = size
        Self.tell(size, options)
    }

    private mutating func giveBack(_ options: any NIOSynchronousChannelOptions) {
        guard size != nil else { return }
        size = nil
        // From here it grows by itself, to what the connection needs.
        Self.tell(Self.largest, options)
        Self.free(options)
    }

    // MARK: The system

    private static var now: Instant { .zero + .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    private static let receiveBuffer = ChannelOptions.Types.SocketOption(level: .socket, name: .so_rcvbuf)
    /// Whether the system keeps a buffer's size as it was set (`SO_BUF_LOCK`, since Linux 5.14).
    private static let bufferLock = ChannelOptions.Types.SocketOption(level: .socket, name: .init(rawValue: 72))
    private static let windowClamp = ChannelOptions.Types.SocketOption(
        level: .tcp, name: .init(rawValue: CInt(TCP_WINDOW_CLAMP)))

    private static func size(_ pace: Pace, roundTrip: Duration) -> Int? {
        let size = pace.bufferSize(roundTrip: roundTrip)
        return size <= largest ? size : nil
    }

    private static func tell(_ size: Int, _ options: any NIOSynchronousChannelOptions) {
        ConnectionTuning.attempt(options, receiveBuffer, size)
        // The window is bounded on its own, by the buffer of when the connection began.
        ConnectionTuning.attempt(options, windowClamp, Int(CInt.max / 4))
    }

    /// A buffer that could not be freed would slow the connection down for ever.
    private static func canBeFreed(_ options: any NIOSynchronousChannelOptions) -> Bool {
        (try? options.getOption(bufferLock)) != nil
    }

    private static func free(_ options: any NIOSynchronousChannelOptions) {
        ConnectionTuning.attempt(options, bufferLock, 0)
    }
}

/// The system's knowledge of a connection: `struct tcp_info` of `<linux/tcp.h>`, of which the C library's header has
/// only the first fields.
private struct TCPInfo {
    private var words = InlineArray<32, UInt64>(repeating: 0)

    /// Reads the system's information; all zero where the system does not tell.
    init(of channel: any Channel) {
        let provider = channel as? any SocketOptionProvider
        let answer: EventLoopFuture<InlineArray<32, UInt64>>? = provider?.unsafeGetSocketOption(
            level: .tcp, name: .init(rawValue: CInt(TCP_INFO)))
        var words = self.words
        // Complete at once on the channel's own event loop.
        answer?.assumeIsolated().whenSuccess { words = $0 }
        self.words = words
    }

    /// `tcpi_rtt`, at offset 68.
    var roundTrip: Duration { .microseconds(Int64(words[8] >> 32)) }

    /// `tcpi_rcv_rtt`, at offset 92: from when we told of room until what was sent thereupon came. Zero until it is
    /// known.
    var receiversRoundTrip: Duration { .microseconds(Int64(words[11] >> 32)) }

    /// `tcpi_bytes_received`, at offset 128.
    var bytesReceived: UInt64 { words[16] }
}
#endif
