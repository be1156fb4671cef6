internal import NIOCore
internal import NIOHTTP1
internal import PawlCore
internal import PawlEngine

/// A connection to a server, or to a proxy that is given whole requests: the last handler of its channel. One exchange
/// at a time; between two of them it waits in the ``ConnectionPool``. Used on its event loop only.
///
/// Nothing is read from the socket that the exchange does not want.
final class HTTPConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPClientRequestPart

    let route: Route
    let channel: any Channel
    /// When it was last given back to the pool.
    var idleSince = NIODeadline.now()
    private let pool: ConnectionPool
    private var context: ChannelHandlerContext?
    private var exchange: HTTPExchange?
    /// The channel asked for a read while the exchange wanted none.
    private var isReadHeld = false
    private var isClosing = false
    private var hasServed = false
    private let buffers = ReceiveBuffers()
    private var pacing: ConnectionPacing
    // Of the exchange under way.
    private var isReused = false
    private var isAnswered = false
    private var mayBeKept = false

    init(_ route: Route, _ channel: any Channel, pool: ConnectionPool) {
        self.route = route
        self.channel = channel
        self.pool = pool
        pacing = ConnectionPacing(buffers)
    }

    /// Has the generic types of a connection made, by one thread while others wait. Swift's runtime can crash when two
    /// event loops need one of them for the first time in the same moment (of that kind: swiftlang/swift#61276).
    @inline(never) static func makeTypes() -> [Any.Type] { types }

    private static let types: [Any.Type] = [HTTPResponseDecoder.self, ByteToMessageHandler<HTTPResponseDecoder>.self]

    /// On a channel that has nothing else to do before its first request.
    static func install(_ route: Route, on channel: any Channel, pool: ConnectionPool) throws -> HTTPConnection {
        let connection = HTTPConnection(route, channel, pool: pool)
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward))
        try channel.pipeline.syncOperations.addHandlers(
            [HTTPRequestEncoder()] + ResponseBounds.guarding(decoder) + [connection])
        return connection
    }

    var isUsable: Bool { exchange == nil && !isClosing && channel.isActive }

    func serve(_ exchange: HTTPExchange) {
        self.exchange = exchange
        buffers.setIdle(false)
        (isReused, isAnswered, mayBeKept) = (hasServed, false, false)
        hasServed = true
        exchange.isCarried(by: self)
        guard let context else {
            return fail(TransportError(.connect, "the connection was closed while it was being made"))
        }
        pacing.follow(exchange.pace, on: channel)
        context.write(wrapOutboundOut(.head(requestHead(exchange.request))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func requestHead(_ request: TransportRequest) -> HTTPRequestHead {
        var fields = HTTPHeaders()
        fields.reserveCapacity(request.fields.count + 2)
        // "A user agent that sends Host SHOULD send it as the first field" (RFC 9110 §7.2).
        fields.add(name: "Host", value: request.url.authority)
        for field in request.fields { fields.add(name: field.name, value: field.value) }
        if route.isForwarding, let credentials = route.proxy?.credentials {
            fields.add(name: "Proxy-Authorization", value: credentials.basicField)
        }
        // The absolute-form for a proxy, the origin-form for a server (RFC 9112 §3.2).
        let target = route.isForwarding ? request.url.serialized : request.url.requestTarget
        return HTTPRequestHead(
            version: .http1_1, method: request.method == .head ? .HEAD : .GET, uri: target, headers: fields)
    }

    /// Closes at once, without waiting for close_notify.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        exchange = nil
        context?.close(promise: nil)
    }

    /// The exchange wants more.
    func resume() {
        guard isReadHeld else { return }
        isReadHeld = false
        if let exchange { pacing.follow(exchange.pace, on: channel) }
        context?.read()
    }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pacing.begin(on: channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        if let exchange { pacing.follow(exchange.pace, on: channel) }
        // Also between exchanges, to notice the end, and while closing.
        if exchange?.wantsBytes ?? true { return context.read() }
        isReadHeld = true
        pacing.hold()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let exchange else {
            // Nobody asked; and what is left of an exchange that was cancelled is of no interest.
            return close()
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // 101 is the last word in HTTP on a connection, and so a final one (RFC 9110 §15.2.2).
            if (100..<200).contains(head.status.code), head.status != .switchingProtocols { return }
            received(head, exchange)
        // NIOSSL goes on filling the buffer of what it has decrypted.
        case .body(let bytes): exchange.received(bytes, route.isSecure ? nil : buffers.memory(of: bytes))
        case .end: completed(exchange)
        }
    }

    private func received(_ head: HTTPResponseHead, _ exchange: HTTPExchange) {
        isAnswered = true
        if route.isForwarding, head.status == .proxyAuthenticationRequired {
            return fail(.proxyWantsCredentials(given: route.proxy?.credentials != nil))
        }
        mayBeKept = head.isKeepAlive && head.status != .switchingProtocols
        exchange.received(
            ResponseHead(
                status: Int(head.status.code), fields: head.headers.map { HTTPField($0.name, $0.value) },
                isHTTP10: head.version == .http1_0))
    }

    private func completed(_ exchange: HTTPExchange) {
        self.exchange = nil
        buffers.setIdle(true)
        // Before the exchange hears of it, so that the next one finds the connection. It cannot come before this read
        // is done with, and the decoder has seen all of it.
        if mayBeKept, channel.isActive, !isClosing { pool.keep(self) } else { close() }
        exchange.finished(nil)
        resume()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportError(error, isRequestSent: true, isCancelled: false))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(TransportError(.truncated, "the connection was closed before the response was complete"))
        pool.remove(self)
        context.fireChannelInactive()
    }

    private func fail(_ error: TransportError) {
        let exchange = exchange
        close()
        exchange?.finished(isReused && !isAnswered ? error.onKeptConnection : error)
    }
}

extension HTTPConnection: ExchangeCarrier {
    func exchangeWantsBytes() { resume() }

    func exchangeWasCancelled() { close() }
}
