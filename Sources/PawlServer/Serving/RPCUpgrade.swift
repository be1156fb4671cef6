import Logging
import Pawl
import NIOCore
import NIOHTTP1
import NIOWebSocket
import PawlCore
import PawlSystem

/// Makes a WebSocket (RFC 6455) of a connection that asks for one where aria2's RPC is. Stands before those that answer
/// requests, which then see no more of the connection than its end.
final class RPCUpgrade: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        /// Requests are read; `unanswered` of them have no complete answer yet.
        case requests(unanswered: Int)
        /// The request that asks is being read.
        case asking(HTTPRequestHead)
        /// The upgrade is done, and no request is read any more.
        case done
    }

    /// The text appended to the client's key, whose digest in the answer proves that the key was read (§1.3).
    private static let seed = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let rpc: RPCService
    private var state = State.requests(unanswered: 0)

    init(_ rpc: RPCService) { self.rpc = rpc }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.requests(let unanswered), .head(let head)):
            guard Self.asks(head) else {
                state = .requests(unanswered: unanswered + 1)
                return context.fireChannelRead(data)
            }
            // Their answers would come between the frames.
            guard unanswered == 0 else { return end(context) }
            state = .asking(head)
        case (.requests, _): context.fireChannelRead(data)
        case (.asking(let head), .end):
            state = .done
            answer(head, context)
        // Whoever asks waits for the answer (§4.1).
        case (.asking, .body), (.asking, .head), (.done, _): break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .requests(let unanswered) = state else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        if case .end = unwrapOutboundIn(data) { state = .requests(unanswered: max(0, unanswered - 1)) }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .requests = state { context.fireErrorCaught(error) } else { end(context) }
    }

    private func end(_ context: ChannelHandlerContext) {
        state = .done
        context.close(promise: nil)
    }

    private static func asks(_ head: HTTPRequestHead) -> Bool {
        func names(_ field: String, _ word: String) -> Bool {
            head.headers[canonicalForm: field].contains {
                String(decoding: $0.utf8.map(ASCII.lowercased), as: UTF8.self).isExactly(word)
            }
        }
        let path = head.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
        return head.method == .GET && path.elementsEqual("/jsonrpc".utf8) && names("upgrade", "websocket")
            && names("connection", "upgrade")
    }

    // MARK: The answer

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.headers.first(name: "sec-websocket-version").map({ $0.isExactly("13") }) ?? false else {
            return refuse(426, context, [("Sec-WebSocket-Version", "13")])
        }
        guard let key = head.headers.first(name: "sec-websocket-key"), Base64.decode(key.utf8)?.count == 16 else {
            return refuse(400, context)
        }
        let (channel, here) = (context.channel, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        context.eventLoop.makeFutureWithTask { await ServiceContext.peer(of: channel) }.whenSuccess { peer in
            let (upgrade, context) = here.value
            if context.channel.isActive { upgrade.accept(head, key, peer, context) }
        }
    }

    private func accept(
        _ head: HTTPRequestHead, _ key: String, _ peer: HTTPCall.Peer?, _ context: ChannelHandlerContext
    ) {
        let fields = head.headers.map { (name: $0.name, value: $0.value) }
        guard let peer, let call = HTTPCall(method: "GET", target: head.uri, fields: fields, peer: peer) else {
            log(.warning, 403, nil)
            return refuse(403, context)
        }
        let client = rpc.access.client(of: call)
        guard rpc.access.maySpeak(call) else {
            log(.warning, 403, client)
            return refuse(403, context)
        }
        guard let proof = SystemDigests().digest(.sha1, of: Array((key + Self.seed).utf8)) else {
            log(.error, 500, client)
            return refuse(500, context)
        }
        let kind: RPCSessions.Kind = rpc.access.isLocal(call) ? .local : .foreign
        let needsToken = rpc.access.needsToken(peer)
        let place = needsToken ? enter(kind, client, context.channel) : nil
        guard place != nil || !needsToken else {
            log(.warning, 503, client)
            return refuse(503, context)
        }
        let answer = HTTPHeaders([
            ("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-accept", Base64.encode(proof)),
        ])
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: answer))),
            promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        log(.info, 101, client)
        let writer = PartWriter()
        let socket = RPCSocket(rpc, client, kind, place, writer)
        do { try change(context, writer, socket) } catch {
            if let place { rpc.sessions.leave(place) }
            context.close(promise: nil)
        }
    }

    private func enter(
        _ kind: RPCSessions.Kind, _ client: ClientIdentity, _ channel: any Channel
    ) -> RPCSessions.Place? {
        rpc.sessions.enter(kind, client) { [logger = rpc.logger] in
            logger.warning(
                "session displaced", metadata: client.metadata.merging(["path": "/jsonrpc"]) { own, _ in own })
            channel.close(promise: nil)
        }
    }

    private func log(_ level: Logger.Level, _ status: Int, _ client: ClientIdentity?) {
        let fields: Logger.Metadata = ["path": "/jsonrpc", "status": "\(status)"]
        rpc.logger.log(level: level, "request", metadata: fields.merging(client?.metadata ?? [:]) { own, _ in own })
    }

    private func refuse(_ status: Int, _ context: ChannelHandlerContext, _ more: [(String, String)] = []) {
        let fields = HTTPHeaders(more + [("content-length", "0"), ("connection", "close")])
        context.write(
            wrapOutboundOut(
                .head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields))),
            promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Frames in place of requests.
    private func change(_ context: ChannelHandlerContext, _ writer: PartWriter, _ socket: RPCSocket) throws {
        // The system keeps little that the client's has not taken, so that what the client takes shows. A unix socket
        // has no such option.
        let lowWaterMark = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_NOTSENT_LOWAT))
        context.channel.setOption(lowWaterMark, value: PartWriter.partLength).whenFailure { _ in }
        let pipeline = context.pipeline.syncOperations
        try pipeline.addHandler(writer, position: .before(self))
        try pipeline.addHandler(WebSocketFrameEncoder(), position: .before(self))
        try pipeline.addHandler(socket, position: .before(self))
        // From here on the session says who is too slow.
        pipeline.removeHandler(try pipeline.handler(type: ConnectionWatch.self), promise: nil)
        pipeline.removeHandler(try pipeline.handler(type: HostOfTarget.self), promise: nil)
        pipeline.removeHandler(try pipeline.handler(type: HTTPResponseEncoder.self), promise: nil)
        pipeline.removeHandler(try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self), promise: nil)
    }
}
