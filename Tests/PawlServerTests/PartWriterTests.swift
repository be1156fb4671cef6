import NIOCore
import NIOEmbedded
import Testing

@testable import PawlServer

/// A client that takes what is written when the test says so.
private final class SlowClient: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private var waiting: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private(set) var taken: [UInt8] = []
    var takesAtOnce = false

    var count: Int { waiting.count }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        waiting.append((unwrapOutboundIn(data), promise))
        if takesAtOnce { take() }
    }

    func flush(context: ChannelHandlerContext) {}

    func take() {
        let (bytes, promise) = waiting.removeFirst()
        taken += Array(bytes.readableBytesView)
        promise?.succeed()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for (_, promise) in waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
    }
}

@Suite struct `Answers to clients that read slowly` {
    private let client = SlowClient()
    private let writer = PartWriter()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handlers: [client, writer])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func send(_ bytes: [UInt8]) -> EventLoopFuture<Void> { channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    private func isOpen(after time: TimeAmount) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: time)
        return channel.isActive
    }

    @Test func `S28 a client that takes a part within each minute is not closed, however long the answer is`() throws {
        let answer = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let isWritten = send(answer)
        while writer.count > 0 {
            #expect(isOpen(after: .seconds(59)))
            // No more is on its way than what shows that the client reads.
            #expect(client.count == 1)
            client.take()
        }
        try isWritten.wait()
        #expect(client.taken == answer)
        #expect(isOpen(after: .hours(1)))
        _ = try channel.finish()
    }

    @Test func `S28 a client that takes nothing for a minute is closed, and all that waits fails`() {
        let writes = [send([UInt8](repeating: 1, count: 100_000)), send([2])]
        #expect(isOpen(after: .seconds(30)))
        client.take()
        #expect(isOpen(after: .seconds(59)))
        #expect(!isOpen(after: .seconds(2)))
        channel.embeddedEventLoop.run()
        for write in writes { #expect(throws: (any Error).self) { try write.wait() } }
        #expect(writer.count == 0)
    }

    @Test func `S28 what is written comes out whole and in order, at once if it can be taken at once`() throws {
        client.takesAtOnce = true
        let frames = [[1], [], [UInt8](repeating: 2, count: 16 << 20), [3, 4]]
        for frame in frames { try send(frame).wait() }
        #expect(client.taken == Array(frames.joined()))
        client.takesAtOnce = false
        let second = [[5], [UInt8](repeating: 6, count: 40_000), [], [7]]
        let writes = second.map { send($0) }
        #expect(writer.count == 4 && client.count == 1)
        while writer.count > 0 { client.take() }
        for write in writes { try write.wait() }
        #expect(client.taken == Array((frames + second).joined()))
        _ = try channel.finish()
    }
}
