import NIOCore

/// Writes in small parts, each of them once the client has taken the one before. That shows a client that reads slowly,
/// however large an answer is, and one that reads nothing, whose connection is closed.
///
/// A channel that is not writable tells neither: an answer of 16 MiB keeps it so for as long as it is being read.
final class PartWriter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The length of a part, in bytes.
    static let partLength = 32 << 10
    /// The time in which the client must take a part.
    static let patience = TimeAmount.seconds(60)

    private var waiting = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()
    private var isPartOnItsWay = false
    /// The buffers that end in the part that is on its way.
    private var endsInPart = 0
    private var isSending = false
    private var departure: Scheduled<Void>?

    /// The number of buffers that the client has not taken.
    var count: Int { waiting.count }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        waiting.append((unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) { send(context) }

    func handlerRemoved(context: ChannelHandlerContext) { fail(ChannelError.ioOnClosedChannel) }

    /// Writes on until a part has to wait. Parts that are taken at once are no recursion.
    private func send(_ context: ChannelHandlerContext) {
        guard !isSending else { return }
        isSending = true
        while !isPartOnItsWay, !waiting.isEmpty { sendPart(context) }
        isSending = false
    }

    private func sendPart(_ context: ChannelHandlerContext) {
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { here.value.0.meet($0, here.value.1) }
        isPartOnItsWay = true
        let slices = takePart()
        for slice in slices.dropLast() { context.write(wrapOutboundOut(slice), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(slices.last ?? ByteBuffer()), promise: promise)
        guard isPartOnItsWay else { return }
        let channel = context.channel
        departure = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    /// Returns the bytes of the next part, which may be those of several small buffers.
    private func takePart() -> [ByteBuffer] {
        var (slices, room, index) = ([ByteBuffer](), Self.partLength, waiting.startIndex)
        while room > 0, index < waiting.endIndex {
            let length = min(room, waiting[index].bytes.readableBytes)
            guard let slice = waiting[index].bytes.readSlice(length: length) else { break }
            slices.append(slice)
            room -= length
            if waiting[index].bytes.readableBytes == 0 { endsInPart += 1 }
            index = waiting.index(after: index)
        }
        return slices
    }

    private func meet(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        isPartOnItsWay = false
        departure?.cancel()
        departure = nil
        if case .failure(let error) = result { return fail(error) }
        let promises = waiting.prefix(endsInPart).map(\.promise)
        waiting.removeFirst(endsInPart)
        endsInPart = 0
        for promise in promises { promise?.succeed() }
        send(context)
    }

    private func fail(_ error: any Error) {
        departure?.cancel()
        departure = nil
        endsInPart = 0
        while let (_, promise) = waiting.popFirst() { promise?.fail(error) }
    }
}
