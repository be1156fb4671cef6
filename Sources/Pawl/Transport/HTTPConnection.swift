internal import NIOCore
internal import PawlCore
internal import PawlEngine

/// A connection to a server, or to a proxy that is given whole requests: the last handler of its channel. One exchange
/// at a time; between two of them it waits in the ``ConnectionPool``. Used on its event loop only.
///
/// Nothing is read from the socket that the exchange does not want.
final class HTTPConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let route: Route
    let channel: any Channel
    /// The time when the connection was last given back to the pool.
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
    private var reader = ResponseReader()
    private var isReused = false
    private var isAnswered = false
    private var sender: ContentSender?

    init(_ route: Route, _ channel: any Channel, pool: ConnectionPool) {
        self.route = route
        self.channel = channel
        self.pool = pool
        pacing = ConnectionPacing(buffers)
    }

    /// On a channel that has nothing else to do before its first request.
    static func install(_ route: Route, on channel: any Channel, pool: ConnectionPool) throws -> HTTPConnection {
        let connection = HTTPConnection(route, channel, pool: pool)
        try channel.pipeline.syncOperations.addHandler(connection)
        return connection
    }

    var isUsable: Bool { exchange == nil && !isClosing && channel.isActive }

    func serve(_ exchange: HTTPExchange) {
        self.exchange = exchange
        buffers.setIdle(false)
        reader.begin(isHead: exchange.request.method == .head)
        (isReused, isAnswered) = (hasServed, false)
        hasServed = true
        exchange.isCarried(by: self)
        guard let context else {
            return fail(TransportError(.connect, "the connection was closed while it was being established"))
        }
        pacing.follow(exchange.pace, on: channel)
        sender = exchange.request.content.map { content in
            ContentSender(content, on: channel) { [weak self] error in self?.fail(error) }
        }
        context.writeAndFlush(wrapOutboundOut(head(of: exchange.request)), promise: nil)
        sender?.begin()
    }

    private func head(of request: TransportRequest) -> ByteBuffer {
        // The absolute-form for a proxy, the origin-form for a server (RFC 9112 §3.2).
        let target = route.isForwarding ? request.url.serialized : request.url.requestTarget
        // "A user agent that sends Host SHOULD send it as the first field" (RFC 9110 §7.2).
        var text = request.method.rawValue
        text.reserveCapacity(1024)
        text += " "
        text += target
        text += " HTTP/1.1\r\nHost: "
        text += request.url.authority
        for field in request.fields { Self.write(field, to: &text) }
        if route.isForwarding, let credentials = route.proxy?.credentials {
            Self.write(HTTPField("Proxy-Authorization", credentials.basicField), to: &text)
        }
        if let content = request.content {
            Self.write(HTTPField("Content-Length", String(content.length)), to: &text)
            if content.expectsContinue { Self.write(HTTPField("Expect", "100-continue"), to: &text) }
        }
        text += "\r\n\r\n"
        var head = channel.allocator.buffer(capacity: text.utf8.count)
        // Text may stand for bytes that are no UTF-8.
        if text.holdsSystemBytes { head.writeBytes(text.systemBytes) } else { head.writeString(text) }
        return head
    }

    private static func write(_ field: HTTPField, to text: inout String) {
        text += "\r\n"
        text += field.name
        text += ": "
        text += field.value
    }

    /// Closes at once, without waiting for close_notify.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        exchange = nil
        sender?.stop()
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
        var bytes = unwrapInboundIn(data)
        while let exchange {
            let (count, part) = bytes.withUnsafeReadableBytes { reader.read($0) }
            // Proven: the reader takes no more than it is given.
            guard var taken = bytes.readSlice(length: count) else { return close() }
            switch part {
            case .head(let head): received(head, exchange)
            case .content(let length):
                taken.moveReaderIndex(forwardBy: count - length)
                // NIOSSL goes on filling the buffer of what it has decrypted.
                exchange.received(taken, route.isSecure ? nil : buffers.memory(of: taken))
            case .end(let mayPersist): completed(exchange, mayPersist: mayPersist && bytes.readableBytes == 0)
            case .invalid(let detail): return fail(TransportError(.malformed, detail))
            case nil:
                if reader.isContinued { sender?.wanted() }
                return
            }
        }
        // Nobody asked; and what is left of an exchange that was cancelled is of no interest.
        if bytes.readableBytes > 0 { close() }
    }

    private func received(_ head: ResponseHead, _ exchange: HTTPExchange) {
        isAnswered = true
        sender?.stop()
        if route.isForwarding, head.status == 407 {
            return fail(.proxyWantsCredentials(given: route.proxy?.credentials != nil))
        }
        exchange.received(head)
    }

    private func completed(_ exchange: HTTPExchange, mayPersist: Bool) {
        self.exchange = nil
        buffers.setIdle(true)
        // The server would take the next request for content.
        let isSent = sender?.isWhole ?? true
        // Before the exchange hears of it, so that the next one finds the connection.
        if mayPersist, isSent, channel.isActive, !isClosing { pool.keep(self) } else { close() }
        exchange.finished(nil)
        resume()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportError(error, isRequestSent: true, isCancelled: false))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let exchange, reader.isCompleteAtClose { completed(exchange, mayPersist: false) }
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
