import Crypto
import NIOCore
import NIOHTTP1
import NIOWebSocket
import PawlCore
import PawlEngine
import Synchronization

/// Makes a WebSocket (RFC 6455) of a connection that asks for one where aria2's RPC is. Stands before those that answer requests, which then
/// see no more of the connection than its end.
final class RPCUpgrade: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Of the key of the client, which the answer proves to have been read (§1.3).
    private static let seed = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let rpc: RPCService
    /// The request that is being read, if it asks for a WebSocket.
    private var asking: HTTPRequestHead?

    init(_ rpc: RPCService) { self.rpc = rpc }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where Self.asks(head): asking = head
        case .body where asking != nil: break
        case .end where asking != nil:
            guard let head = asking else { return }
            asking = nil
            answer(head, context)
        default: context.fireChannelRead(data)
        }
    }

    private static func asks(_ head: HTTPRequestHead) -> Bool {
        let path = head.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
        return head.method == .GET && path.elementsEqual("/jsonrpc".utf8)
            && head.headers[canonicalForm: "upgrade"].contains { ASCII.lowercased($0.utf8).isExactly("websocket") }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.headers.first(name: "sec-websocket-version").map({ $0.isExactly("13") }) ?? false else {
            return refuse(426, context, ["Sec-WebSocket-Version": "13"])
        }
        guard let key = head.headers.first(name: "sec-websocket-key"), Base64.decode(key.utf8)?.count == 16 else { return refuse(400, context) }
        let (channel, here) = (context.channel, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        context.eventLoop.makeFutureWithTask { await ServiceContext.peer(of: channel) }.whenSuccess { peer in
            let (upgrade, context) = here.value
            upgrade.accept(head, key, peer, context)
        }
    }

    private func accept(_ head: HTTPRequestHead, _ key: String, _ peer: HTTPCall.Peer?, _ context: ChannelHandlerContext) {
        let fields = head.headers.map { (name: $0.name, value: $0.value) }
        guard let peer, let call = HTTPCall(method: "GET", target: head.uri, fields: fields, peer: peer), rpc.access.knowsHost(call) else {
            return refuse(403, context)
        }
        let proof = Base64.encode(Array(Insecure.SHA1.hash(data: Array((key + Self.seed).utf8))))
        let answer = HTTPHeaders([("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-accept", proof)])
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: answer))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        do { try change(context, RPCSocket(rpc, call)) } catch { context.close(promise: nil) }
    }

    private func refuse(_ status: Int, _ context: ChannelHandlerContext, _ more: [String: String] = [:]) {
        var fields = HTTPHeaders(more.map { ($0.key, $0.value) })
        fields.add(name: "content-length", value: "0")
        fields.add(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Frames in place of requests.
    private func change(_ context: ChannelHandlerContext, _ socket: RPCSocket) throws {
        let pipeline = context.pipeline.syncOperations
        let frames = WebSocketFrameDecoder(maxFrameSize: RPCSocket.maximumMessage)
        try pipeline.addHandler(WebSocketFrameEncoder(), position: .before(self))
        try pipeline.addHandler(ByteToMessageHandler(frames), position: .before(self))
        try pipeline.addHandler(
            NIOWebSocketFrameAggregator(minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1000, maxAccumulatedFrameSize: RPCSocket.maximumMessage),
            position: .before(self))
        try pipeline.addHandler(WebSocketProtocolErrorHandler(isServer: true), position: .before(self))
        try pipeline.addHandler(socket, position: .before(self))
        // From here on it is not too slow if it sends nothing.
        pipeline.removeHandler(try pipeline.handler(type: ConnectionWatch.self), promise: nil)
        pipeline.removeHandler(try pipeline.handler(type: HostOfTarget.self), promise: nil)
        pipeline.removeHandler(try pipeline.handler(type: HTTPResponseEncoder.self), promise: nil)
        pipeline.removeHandler(try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self), promise: nil)
    }
}

/// What the sessions of the RPC share.
struct RPCService: Sendable {
    let aria2: Aria2
    let access: AccessRules
    let notifier: RPCNotifier
}

/// One session of the RPC: calls come as messages and are carried out one after the other; notifications go out between their answers.
final class RPCSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// In bytes.
    static let maximumMessage = 2 << 20
    /// Messages that wait to be carried out; a client with more of them is closed.
    private static let maximumWaiting = 1000

    /// What its calls and its channel share.
    private final class State: Sendable {
        /// It may have notifications: they tell GIDs, and nothing else.
        let isTold: Locked<Bool>
        let waiting = Locked(0)

        init(isTold: Bool) { self.isTold = Locked(isTold) }
    }

    private let rpc: RPCService
    private let peer: HTTPCall.Peer
    private let state: State
    private var messages: AsyncStream<[UInt8]>.Continuation?
    private var worker: Task<Void, Never>?
    private var registration: UInt64?

    init(_ rpc: RPCService, _ call: HTTPCall) {
        self.rpc = rpc
        peer = call.peer
        // Programs of this machine listen without a token; a page of another site could, too.
        state = State(isTold: call.field("origin") == nil && call.peer.isLocal)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        let sender = NIOLoopBound(context, eventLoop: context.eventLoop)
        let send: @Sendable (String) -> Void = { text in
            channel.eventLoop.execute { Self.write(text, sender.value) }
        }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        messages = continuation
        let (rpc, peer, state) = (rpc, peer, state)
        worker = Task {
            for await message in stream {
                let reply = await rpc.aria2.reply(to: message) { token in
                    guard rpc.access.allows(token, peer) else { return false }
                    state.isTold.withLock { $0 = true }
                    return true
                }
                if reply.isUnauthorized { try? await Task.sleep(for: .seconds(1)) }
                state.waiting.withLock { $0 -= 1 }
                send(reply.json.encoded)
            }
        }
        registration = rpc.notifier.enter { text in
            guard state.isTold.withLock({ $0 }) else { return }
            // Who does not read gets no more.
            if channel.isWritable { send(text) } else { channel.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        if let registration { rpc.notifier.leave(registration) }
        registration = nil
        messages?.finish()
        worker?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary:
            let isTooMuch = state.waiting.withLock { waiting in
                waiting += 1
                return waiting > Self.maximumWaiting
            }
            if isTooMuch { return context.close(promise: nil) }
            var bytes = frame.unmaskedData
            messages?.yield(bytes.readBytes(length: bytes.readableBytes) ?? [])
        case .ping: context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
        case .connectionClose:
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)))
                .whenComplete { _ in channel.close(promise: nil) }
        default: break
        }
    }

    private static func write(_ text: String, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let data = context.channel.allocator.buffer(string: text)
        context.writeAndFlush(NIOAny(WebSocketFrame(fin: true, opcode: .text, data: data)), promise: nil)
    }
}
