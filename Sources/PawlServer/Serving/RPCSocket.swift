import NIOCore
import NIOWebSocket
import PawlCore
import PawlEngine
import Synchronization

/// A session of the RPC: calls come as messages and are carried out one after the other; notifications go out between
/// their answers.
final class RPCSocket: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = WebSocketFrame

    /// The largest message, in bytes.
    private static let maximumMessage = 2 << 20
    /// The most that may wait to be carried out, in bytes; whoever sends more is closed.
    private static let maximumWaiting = 4 << 20
    /// The same, before the token was shown.
    private static let maximumWaitingOfStrangers = 2 * RPCService.maximumOfStrangers
    /// The time between two pings; an answer shows that the client is still there.
    private static let pingInterval = TimeAmount.seconds(30)
    /// The looks in a row at which nothing has come from the client. What its system has taken for it may keep it busy
    /// before it reads the ping.
    private static let maximumSilence = 2
    /// The time in which a stranger must show the token.
    private static let patience = TimeAmount.seconds(60)
    /// The buffers that may wait for the client when one more is to answer a ping.
    private static let maximumBeforePong = 8
    /// The largest number of notifications that wait while the client reads nothing.
    private static let maximumNotifications = 1000
    /// The code 1008, for a session whose token is no longer the service's, and for one that guesses (RFC 6455 §7.4.1).
    private static let refused: [UInt8] = [0x03, 0xF0]
    /// The code 1009, for a stranger that sends more than it may.
    private static let tooLarge = WebSocketReader.Violation.tooLarge.reason

    private enum Phase {
        case open
        /// The socket reads no more; the close frame follows.
        case dismissed
        /// The close frame has been written, and nothing may follow it (§5.5.1).
        case closing
        case ended
    }

    /// State that the channel shares with the tasks that work for it.
    private final class State: Sendable {
        struct Values {
            /// The token has been shown, so the bounds of strangers no longer hold.
            var isKnown: Bool
            /// The permission that the shown token gives, until it is revoked.
            var hold: Grants.Hold?
            /// The size of the messages that wait to be carried out, in bytes.
            var waiting = 0
        }

        let values: Locked<Values>

        init(isKnown: Bool) { values = Locked(Values(isKnown: isKnown)) }

        var isKnown: Bool { values.withLock { $0.isKnown } }

        /// The session may hear what happens: as one that is known, unless the token was renewed since.
        func mayHear(isLocal: Bool) -> Bool {
            let (isKnown, hold) = values.withLock { ($0.isKnown, $0.hold) }
            return (isLocal || isKnown) && hold?.isValid ?? true
        }
    }

    private let rpc: RPCService
    private let client: ClientIdentity
    private let kind: RPCSessions.Kind
    private let state: State
    private let writer: PartWriter
    private var reader = WebSocketReader(limit: maximumMessage, freely: RPCService.maximumOfStrangers)
    private var messages: AsyncStream<[UInt8]>.Continuation?
    private var worker: Task<Void, Never>?
    private var pings: RepeatedTask?
    private var deadline: Scheduled<Void>?
    private var silence = 0
    private var notifications = 0
    /// The session's place among those that have not shown the token.
    private var place: RPCSessions.Place?
    private var phase = Phase.open

    /// - Parameters:
    ///   - kind: a local program hears notifications, which tell GIDs and nothing else, before it has shown the token.
    ///     A page of another site, and another machine, may not.
    ///   - place: the one that it has taken until it shows the token; nil if no token is needed.
    ///   - writer: the one behind which the frames are written.
    init(
        _ rpc: RPCService, _ client: ClientIdentity, _ kind: RPCSessions.Kind, _ place: RPCSessions.Place?,
        _ writer: PartWriter
    ) {
        (self.rpc, self.client, self.kind, self.place, self.writer) = (rpc, client, kind, place, writer)
        state = State(isKnown: place == nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        messages = continuation
        let (rpc, client, state) = (rpc, client, state)
        let isLocal = kind == .local
        let notify: @Sendable (String) -> Void = { text in
            if state.mayHear(isLocal: isLocal) { loop.execute { here.value.0.notify(text, here.value.1) } }
        }
        let write: @Sendable ([UInt8]) -> EventLoopFuture<Void> = { text in
            loop.flatSubmit { here.value.0.write(.text, text, here.value.1) }
        }
        let refuse: @Sendable () -> Void = { loop.execute { here.value.0.close(Self.refused, here.value.1) } }
        let becomeKnown: @Sendable (Int) -> Void = { generation in
            loop.execute { here.value.0.becomeKnown(generation, here.value.1) }
        }
        worker = Task {
            let registration = await rpc.notifier.enter(notify)
            for await message in stream {
                // Read first: a token that is renewed just now ends the session.
                let generation = rpc.access.token.generation
                let reply = await rpc.reply(to: message, client, isKnown: state.isKnown)
                if reply.isKnown { becomeKnown(generation) }
                let text = reply.text.bytes
                // Only once the client has taken it is the next one carried out.
                try? await write(text).get()
                // Each further guess costs a connection.
                if reply.retryAfter != nil { refuse() }
                if text.count >= FreedMemory.large { FreedMemory.giveBackSoon() }
                state.values.withLock { $0.waiting -= RPCSocket.cost(of: message) }
            }
            rpc.notifier.leave(registration)
        }
        pings = loop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
            here.value.0.ping(here.value.1)
        }
        if kind == .foreign {
            deadline = loop.scheduleTask(in: Self.patience) { if !state.isKnown { here.value.1.close(promise: nil) } }
        }
    }

    /// The memory that a message takes while it waits, in bytes.
    private static func cost(of message: [UInt8]) -> Int { message.count + 64 }

    /// - Parameter generation: of the token that was shown.
    private func becomeKnown(_ generation: Int, _ context: ChannelHandlerContext) {
        guard let place, phase != .ended else { return }
        rpc.sessions.leave(place)
        self.place = nil
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let hold = rpc.access.grants.hold(Grants.Grant(generation: generation)) {
            loop.execute { here.value.0.revoke(here.value.1) }
        }
        state.values.withLock { ($0.isKnown, $0.hold) = (true, hold) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        messages?.finish()
        worker?.cancel()
        pings?.cancel()
        deadline?.cancel()
        if let place { rpc.sessions.leave(place) }
        state.values.withLock { $0.hold }?.release()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        silence = 0
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        guard phase == .open else { return }
        for event in reader.take(bytes, permits: { permits($0, context) }) where phase == .open { take(event, context) }
    }

    private func permits(_ beginning: ArraySlice<UInt8>, _ context: ChannelHandlerContext) -> Bool {
        if state.isKnown { return true }
        let generation = rpc.access.token.generation
        guard rpc.permits(beginning, client) else { return false }
        becomeKnown(generation, context)
        return true
    }

    private func take(_ event: WebSocketReader.Event, _ context: ChannelHandlerContext) {
        switch event {
        case .message(let message): take(message, context)
        case .ping(let data):
            // Who reads no answers gets none.
            if writer.count < Self.maximumBeforePong { write(.pong, data, context) }
        case .pong: break
        case .close(let reason): close(reason, context)
        case .violation(.tooLarge) where !state.isKnown: dismiss(context)
        case .violation(let violation): close(violation.reason, context)
        }
    }

    /// Ends the session of a stranger that has sent more than it may. Its message may have been a guess, whose refusal
    /// is held back.
    private func dismiss(_ context: ChannelHandlerContext) {
        phase = .dismissed
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.makeFutureWithTask { await TokenRefusal.holdBack() }.whenComplete { _ in
            here.value.0.close(Self.tooLarge, here.value.1)
        }
    }

    private func take(_ message: [UInt8], _ context: ChannelHandlerContext) {
        // Empty ones would cost a place, and are not counted.
        guard !message.isEmpty else { return context.close(promise: nil) }
        let (waiting, isKnown) = state.values.withLock { values in
            values.waiting += RPCSocket.cost(of: message)
            return (values.waiting, values.isKnown)
        }
        guard waiting <= Self.maximumWaiting else { return context.close(promise: nil) }
        // Several messages may come before the first of them is answered.
        guard isKnown || waiting <= Self.maximumWaitingOfStrangers || permits(message[...], context) else {
            return dismiss(context)
        }
        messages?.yield(message)
    }

    private func close(_ reason: [UInt8], _ context: ChannelHandlerContext) {
        let channel = context.channel
        guard phase == .open || phase == .dismissed else { return }
        let isWritten = write(.connectionClose, reason, context)
        phase = .closing
        isWritten.whenComplete { _ in channel.close(promise: nil) }
    }

    /// Ends the session, without the rest of an answer that the client has not taken.
    private func revoke(_ context: ChannelHandlerContext) {
        if writer.count == 0 { close(Self.refused, context) } else { context.close(promise: nil) }
    }

    private func ping(_ context: ChannelHandlerContext) {
        // The client reads no ping before what is on its way, and the writer says whether it takes that.
        guard writer.count == 0 else {
            silence = 0
            return
        }
        silence += 1
        guard silence <= Self.maximumSilence else { return context.close(promise: nil) }
        write(.ping, [], context)
    }

    private func notify(_ text: String, _ context: ChannelHandlerContext) {
        guard phase == .open else { return }
        notifications = writer.count == 0 ? 0 : notifications + 1
        guard notifications <= Self.maximumNotifications else { return context.close(promise: nil) }
        write(.text, Array(text.utf8), context)
    }

    @discardableResult
    private func write(
        _ opcode: WebSocketOpcode, _ bytes: [UInt8], _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        guard phase == .open || phase == .dismissed, context.channel.isActive else {
            return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let data = context.channel.allocator.buffer(bytes: bytes)
        return context.writeAndFlush(NIOAny(WebSocketFrame(fin: true, opcode: opcode, data: data)))
    }
}
