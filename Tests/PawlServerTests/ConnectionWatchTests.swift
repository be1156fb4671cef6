import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import PawlServer

@Suite("Connections that keep others out")
struct ConnectionWatchTests {
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handler: ConnectionWatch())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func receive(_ part: HTTPRequestPart) throws { _ = try channel.writeInbound(part) }

    private func request() throws {
        try receive(.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")))
    }

    private func answer() throws {
        _ = try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
        _ = try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private func isOpen(after time: TimeAmount) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: time)
        return channel.isActive
    }

    @Test func `a body that does not end closes the connection`() throws {
        try request()
        #expect(isOpen(after: .seconds(29)))
        #expect(!isOpen(after: .seconds(2)))
    }

    @Test func `a body that ends after it was refused leaves a minute for the next request`() throws {
        try request()
        try answer()
        try receive(.end(nil))
        #expect(isOpen(after: .seconds(59)))
        #expect(!isOpen(after: .seconds(2)))
    }

    @Test func `an answer that is being written may take its time`() throws {
        try request()
        try receive(.end(nil))
        #expect(isOpen(after: .hours(1)))
        try answer()
        #expect(isOpen(after: .seconds(59)))
        #expect(!isOpen(after: .seconds(2)))
    }

    @Test func `S28 an answer of which something is taken within each minute may take its time`() throws {
        let client = SlowClient()
        let channel = EmbeddedChannel(handlers: [client, ConnectionWatch()])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        _ = try channel.writeInbound(HTTPRequestPart.head(head))
        _ = try channel.writeInbound(HTTPRequestPart.end(nil))
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let isWritten = channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(bytes: body)))
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(59))
            #expect(channel.isActive)
            client.take()
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        while client.hasMore { client.take() }
        try isWritten.wait()
        #expect(client.taken == body)
        // From here on nothing is taken.
        channel.embeddedEventLoop.advanceTime(by: .seconds(61))
        #expect(!channel.isActive)
        channel.embeddedEventLoop.run()
    }
}

/// A client that takes parts of a body when the test says so.
private final class SlowClient: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart

    private var waiting: [(part: HTTPResponsePart, promise: EventLoopPromise<Void>?)] = []
    private(set) var taken: [UInt8] = []

    var hasMore: Bool { !waiting.isEmpty }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        waiting.append((unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) {}

    func take() {
        let (part, promise) = waiting.removeFirst()
        if case .body(let bytes) = part { taken += Array(bytes.readableBytesView) }
        promise?.succeed()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for (_, promise) in waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
    }
}
