import Logging
import NIOCore
import NIOWebSocket
import PawlCore
import PawlEngine
import Synchronization

/// What the sessions of the RPC share.
struct RPCService: Sendable {
    let aria2: Aria2
    let access: AccessRules
    let notifier: RPCNotifier
    let sessions = RPCSessions()
    let logger: Logger
}

/// How many sessions there are that have not shown who they are: they could keep the owner out.
final class RPCSessions: Sendable {
    private static let maximumStrangers = 64

    private let strangers = Locked(0)

    /// - Returns: false if there are too many.
    func enter(isTrusted: Bool) -> Bool {
        isTrusted
            || strangers.withLock { strangers in
                guard strangers < Self.maximumStrangers else { return false }
                strangers += 1
                return true
            }
    }

    func leave() { strangers.withLock { $0 -= 1 } }
}

/// One session of the RPC: calls come as messages and are carried out one after the other; notifications go out between
/// their answers.
final class RPCSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// In bytes.
    static let maximumMessage = 2 << 20
    /// Of messages that wait to be carried out, in bytes; whoever sends more is closed.
    private static let maximumWaiting = 4 << 20
    /// The same, before a token was shown.
    private static let maximumOfStrangers = 256 << 10
    /// Between two looks at whether the client is still there, which it shows by answering a ping.
    private static let pingInterval = TimeAmount.seconds(30)
    /// For the client to read anything of what is waiting for it, and for a stranger to show a token.
    private static let patience = TimeAmount.seconds(60)
    /// While the client reads nothing.
    private static let maximumNotifications = 1000

    /// What the channel and those that work for it share.
    private final class State: Sendable {
        struct Values {
            /// It has shown a token, or needs none to hear notifications, which tell GIDs and nothing else.
            var isTrusted: Bool
            /// In bytes.
            var waiting = 0
        }

        let values: Locked<Values>

        init(isTrusted: Bool) { values = Locked(Values(isTrusted: isTrusted)) }

        var isTrusted: Bool { values.withLock { $0.isTrusted } }
    }

    private let rpc: RPCService
    private let peer: HTTPCall.Peer
    private let state: State
    private let wasStranger: Bool
    private var messages: AsyncStream<[UInt8]>.Continuation?
    private var worker: Task<Void, Never>?
    private var pings: RepeatedTask?
    private var deadline: Scheduled<Void>?
    private var departure: Scheduled<Void>?
    private var hasAnswered = true
    private var notifications = 0
    private var hasEnded = false

    /// - Parameter isTrusted: it is of a program of this machine, which may listen without a token. A page of another
    ///   site may not.
    init(_ rpc: RPCService, _ peer: HTTPCall.Peer, isTrusted: Bool) {
        self.rpc = rpc
        self.peer = peer
        state = State(isTrusted: isTrusted)
        wasStranger = !isTrusted
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        messages = continuation
        let (rpc, peer, state) = (rpc, peer, state)
        let notify: @Sendable (String) -> Void = { text in
            if state.isTrusted { loop.execute { here.value.0.notify(text, here.value.1) } }
        }
        let write: @Sendable (String) -> EventLoopFuture<Void> = { text in
            loop.flatSubmit { Self.write(text, here.value.1) }
        }
        let gate: Aria2.Gate = { token in
            guard rpc.access.allows(token, peer) else { return false }
            state.values.withLock { $0.isTrusted = true }
            return true
        }
        worker = Task {
            let registration = await rpc.notifier.enter(notify)
            for await message in stream {
                let reply = await rpc.aria2.reply(to: message, gate)
                if reply.isUnauthorized {
                    rpc.logger.warning("unauthorized", metadata: ["path": "/jsonrpc"])
                    try? await Task.sleep(for: .seconds(1))
                }
                let text = reply.json.encoded
                // Only once the client has taken it is the next one carried out.
                try? await write(text).get()
                state.values.withLock { $0.waiting -= message.count }
            }
            rpc.notifier.leave(registration)
        }
        pings = loop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
            here.value.0.ping(here.value.1)
        }
        if wasStranger {
            deadline = loop.scheduleTask(in: Self.patience) { if !state.isTrusted { here.value.1.close(promise: nil) } }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        messages?.finish()
        worker?.cancel()
        pings?.cancel()
        deadline?.cancel()
        departure?.cancel()
        if wasStranger { rpc.sessions.leave() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        hasAnswered = true
        switch frame.opcode {
        case .text, .binary:
            var bytes = frame.unmaskedData
            let message = bytes.readBytes(length: bytes.readableBytes) ?? []
            let isTooMuch = state.values.withLock { values in
                values.waiting += message.count
                return values.waiting > (values.isTrusted ? Self.maximumWaiting : Self.maximumOfStrangers)
            }
            // Empty ones would cost a place, and are not counted.
            if isTooMuch || message.isEmpty { return context.close(promise: nil) }
            messages?.yield(message)
        case .ping:
            // Who reads no answers gets none.
            if context.channel.isWritable {
                context.writeAndFlush(
                    wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
            }
        case .connectionClose:
            let channel = context.channel
            context.writeAndFlush(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData))
            )
            .whenComplete { _ in channel.close(promise: nil) }
        default: break
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        departure?.cancel()
        departure = nil
        if context.channel.isWritable {
            notifications = 0
        } else {
            let channel = context.channel
            departure = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    private func ping(_ context: ChannelHandlerContext) {
        guard hasAnswered else { return context.close(promise: nil) }
        hasAnswered = false
        if context.channel.isWritable {
            context.writeAndFlush(
                wrapOutboundOut(
                    WebSocketFrame(fin: true, opcode: .ping, data: context.channel.allocator.buffer(capacity: 0))),
                promise: nil)
        }
    }

    private func notify(_ text: String, _ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        if !context.channel.isWritable { notifications += 1 }
        guard notifications <= Self.maximumNotifications else { return context.close(promise: nil) }
        _ = Self.write(text, context)
    }

    private static func write(_ text: String, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        guard context.channel.isActive else {
            return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let data = context.channel.allocator.buffer(string: text)
        return context.writeAndFlush(NIOAny(WebSocketFrame(fin: true, opcode: .text, data: data)))
    }
}
