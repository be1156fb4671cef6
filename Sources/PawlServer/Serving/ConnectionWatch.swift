import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import PawlCore

/// The host of an absolute target takes the place of the field (RFC 9112 §3.2.2), before anybody reads that.
final class HostOfTarget: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(var head) = part, head.uri.utf8.first != UInt8(ascii: "/"),
            let url = try? HTTPURL(parsing: head.uri)
        {
            head.headers.replaceOrAdd(name: "Host", value: url.authority)
            part = .head(head)
        }
        context.fireChannelRead(wrapInboundOut(part))
    }
}

/// Closes connections whose client sends a request, or reads an answer, too slowly.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The time for the head of a request, from the connection or the last answer on.
    private static let headTime = TimeAmount.seconds(60)
    /// The time for the body of a request.
    private static let bodyTime = TimeAmount.seconds(30)
    /// The time in which the client must read some of what is waiting for it.
    private static let readTime = TimeAmount.seconds(60)

    private let rpc: RPCService?
    /// Requests whose answers have not been written.
    private var unanswered = 0
    private var arrival: Scheduled<Void>?
    private var departure: Scheduled<Void>?

    init(_ rpc: RPCService? = nil) { self.rpc = rpc }

    func handlerAdded(context: ChannelHandlerContext) {
        expect(within: Self.headTime, context)
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        try? pipeline.addHandler(HostOfTarget(), position: .before(codec))
        if let rpc { try? pipeline.addHandler(RPCUpgrade(rpc), position: .before(codec)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        arrival?.cancel()
        departure?.cancel()
        departure = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            expect(within: Self.bodyTime, context)
        case .body: break
        // A refusal may have been written before the end of what is refused.
        case .end: if unanswered > 0 { arrival?.cancel() } else { expect(within: Self.headTime, context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered = max(0, unanswered - 1)
            expect(within: Self.headTime, context)
        }
        // Each part shows that the client reads.
        guard case .body(var rest) = unwrapOutboundIn(data), rest.readableBytes > PartWriter.partLength else {
            return context.write(data, promise: promise)
        }
        while rest.readableBytes > PartWriter.partLength, let part = rest.readSlice(length: PartWriter.partLength) {
            context.write(wrapOutboundOut(.body(part)), promise: taking(context))
        }
        context.write(wrapOutboundOut(.body(rest)), promise: promise)
    }

    /// Returns a promise that is kept once the client has taken what is written.
    private func taking(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess {
            let (watch, context) = here.value
            if watch.departure != nil { watch.awaitReading(context) }
        }
        return promise
    }

    private func awaitReading(_ context: ChannelHandlerContext) {
        departure?.cancel()
        departure = close(after: Self.readTime, context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            departure?.cancel()
            departure = nil
        } else {
            awaitReading(context)
        }
        context.fireChannelWritabilityChanged()
    }

    private func expect(within time: TimeAmount, _ context: ChannelHandlerContext) {
        arrival?.cancel()
        arrival = close(after: time, context)
    }

    private func close(after time: TimeAmount, _ context: ChannelHandlerContext) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
