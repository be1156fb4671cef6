internal import NIOCore
internal import PawlCore
internal import PawlEngine

/// Sends the content of one request, piece by piece: the next is read once the system has taken the last. Used on its
/// event loop only.
final class ContentSender {
    private enum State {
        /// The server was asked whether it wants the content. Next: `sending`, `over`.
        case asking(Scheduled<Void>)
        /// Next: `over`.
        case sending
        case over(isWhole: Bool)
    }

    private let content: RequestContent
    private let channel: any Channel
    private let failed: (TransportError) -> Void
    private var state = State.over(isWhole: false)
    private var position: Int64 = 0

    private static let pieceLength: Int64 = 256 << 10
    /// The wait for a server that does not answer the question: many never do.
    private static let patience = TimeAmount.seconds(1)

    /// - Parameter failed: told once if the content cannot be read.
    init(_ content: RequestContent, on channel: any Channel, failed: @escaping (TransportError) -> Void) {
        (self.content, self.channel, self.failed) = (content, channel, failed)
    }

    /// Whether all of it was handed to the system.
    var isWhole: Bool { if case .over(isWhole: true) = state { true } else { false } }

    /// Begins, behind the head of the request.
    func begin() {
        guard content.expectsContinue else { return send() }
        state = .asking(
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { self.wanted() })
    }

    /// The server wants the content, or has not answered whether it does.
    func wanted() {
        guard case .asking(let timer) = state else { return }
        timer.cancel()
        send()
    }

    /// Sends no more.
    func stop() {
        if case .asking(let timer) = state { timer.cancel() }
        if !isWhole { state = .over(isWhole: false) }
    }

    private func send() {
        let count = min(Self.pieceLength, content.length - position)
        guard count > 0 else { return state = .over(isWhole: true) }
        state = .sending
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        content.executor.submit { [content, position, eventLoop = channel.eventLoop] in
            let piece = try? content.read(Int(clamping: count), position).get()
            eventLoop.execute { bound.value.send(piece, of: count) }
        }
    }

    private func send(_ piece: [UInt8]?, of count: Int64) {
        guard case .sending = state else { return }
        guard let piece, piece.count == count else {
            state = .over(isWhole: false)
            return failed(TransportError(.other, "the content of the request cannot be read"))
        }
        position += count
        // One that fails closes the connection, which is told there.
        channel.writeAndFlush(ByteBuffer(bytes: piece)).assumeIsolated().whenSuccess {
            guard case .sending = self.state else { return }
            self.send()
        }
    }
}
