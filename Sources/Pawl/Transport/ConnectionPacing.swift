internal import NIOCore
internal import PawlCore

/// Bounds how much a connection receives ahead of a speed limit: the size of a read, and of the system's buffer.
///
/// Not reading slows the peer down only when that buffer is full, which by itself grows to megabytes: at 100 KiB/s the
/// peer would send for half a minute at full speed, and then nothing for as long.
struct ConnectionPacing {
    private let buffers: ReceiveBuffers
    private var pace: Pace?
    private var readSize: Int?
    #if os(Linux)
    private var buffer = PacedBuffer()
    #endif

    init(_ buffers: ReceiveBuffers) { self.buffers = buffers }

    /// Sets the buffer before a socket connects: the peer fills at once what the first segment offers.
    static func prepare(_ channel: any Channel, for pace: Pace) {
        #if os(Linux)
        PacedBuffer.prepare(channel, for: pace)
        #endif
    }

    /// Once there is a connection.
    mutating func begin(on channel: any Channel) { setReadSize(nil, channel) }

    /// Follows a pace. Call it each time before more is read, or would be.
    mutating func follow(_ pace: Pace?, on channel: any Channel) {
        if pace != self.pace {
            self.pace = pace
            setReadSize(pace?.readSize, channel)
            #if os(Linux)
            buffer.follow(pace, on: channel)
            #endif
        }
        #if os(Linux)
        if let pace { buffer.watch(pace, on: channel) }
        #endif
    }

    /// Stops reading after ``follow(_:on:)`` until that is called again.
    mutating func hold() {
        #if os(Linux)
        if pace != nil { buffer.hold() }
        #endif
    }

    private mutating func setReadSize(_ size: Int?, _ channel: any Channel) {
        let size = min(size ?? .max, ConnectionTuning.receiveBufferSize)
        guard size != readSize, let options = channel.syncOptions else { return }
        readSize = size
        ConnectionTuning.attempt(options, .recvAllocator, buffers.allocator(of: size))
    }
}
