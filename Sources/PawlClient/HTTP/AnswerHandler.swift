import NIOCore
import NIOHTTP1

/// Fills the queue of a connection.
final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let queue: AnswerQueue

    init(_ queue: AnswerQueue) { self.queue = queue }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Interim answers (RFC 9110 §15.2) are followed by the final one.
            guard head.status.code >= 200 else { return }
            queue.push(
                .head(status: Int(head.status.code), contentType: head.headers.first(name: "Content-Type") ?? ""))
        case .body(let bytes): queue.push(.body(Array(bytes.readableBytesView)))
        case .end:
            queue.push(.end)
            context.close(promise: nil)
        }
    }

    /// A read that has brought no part of the answer, such as half a header, is followed by another.
    func channelReadComplete(context: ChannelHandlerContext) {
        if queue.isAwaited { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        queue.fail(ServiceError(.connectionLost, "The service closed the connection before its answer was complete."))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState:
            queue.fail(
                ServiceError(.connectionLost, "The service closed the connection before its answer was complete."))
        case is HTTPParserError:
            queue.fail(
                ServiceError(.foreignAnswer, "The program that answers is not the service: it does not speak HTTP."))
        default: queue.fail(ServiceError(.connectionLost, "The connection to the service broke: \(error)."))
        }
        context.close(promise: nil)
    }
}
