internal import NIOCore
internal import NIOHTTP1
internal import PawlCore

/// Bounds what a server may send besides content: header sections, trailers, chunk lines, interim responses (FAULTS
/// L08, L17, L18).
///
/// The decoder has bounds of its own, but wider ones, and none for a status line, a chunk line or the number of interim
/// responses. Rather than parse a second time what it parses, one handler before it counts bytes and one behind it sees
/// what they became: bytes that became no part of a message are framing. A body so costs one addition a read and one
/// look at each part.
enum ResponseBounds {
    static let largestField = 64 * 1024
    static let largestSection = 256 * 1024
    static let maximumFields = 200
    static let maximumInterimResponses = 20
    /// Also of a trailer section, whose bytes cannot be told from those of a chunk line before it has ended.
    static let largestChunkLine = 16 * 1024

    /// `decoder` with a guard on either side, in the order of a pipeline.
    static func guarding(_ decoder: any ChannelHandler) -> [any ChannelHandler] {
        let watch = ResponseWatch()
        return [BytesBeforeDecoding(watch), decoder, PartsAfterDecoding(watch)]
    }
}

/// What the two handlers of one connection share. Used on its event loop only.
private final class ResponseWatch {
    private enum Place {
        case head
        case body
    }

    private var place = Place.head
    /// Since the last part of a message. The bytes of a read that come after a part are not counted: a bound may be
    /// overstepped by what is left of that read.
    private var framingBytes = 0
    private var interimResponses = 0
    /// One violation was reported; nothing that comes after it matters.
    private(set) var isBroken = false

    func read(_ count: Int) { framingBytes += count }

    /// To be asked after the decoder has had the bytes.
    func problemAfterRead() -> TransportError? {
        switch place {
        case .head where framingBytes > ResponseBounds.largestSection:
            broken("a header section of more than \(ResponseBounds.largestSection / 1024) KiB")
        case .body where framingBytes > ResponseBounds.largestChunkLine:
            broken("a chunk line or trailer section of more than \(ResponseBounds.largestChunkLine / 1024) KiB")
        case .head, .body: nil
        }
    }

    func problem(with part: HTTPClientResponsePart) -> TransportError? {
        framingBytes = 0
        switch part {
        case .body:
            return nil
        case .head(let head):
            return problem(with: head)
        case .end(let trailers):
            place = .head
            return trailers.flatMap { problem(with: $0) }
        }
    }

    private func problem(with head: HTTPResponseHead) -> TransportError? {
        // 101 ends HTTP on this connection, so it is a final one (RFC 9110 §15.2.2).
        if (100..<200).contains(head.status.code), head.status != .switchingProtocols {
            interimResponses += 1
            if interimResponses > ResponseBounds.maximumInterimResponses {
                return broken("more than \(ResponseBounds.maximumInterimResponses) interim responses")
            }
        } else {
            interimResponses = 0
            place = .body
        }
        return problem(with: head.headers)
    }

    private func problem(with fields: HTTPHeaders) -> TransportError? {
        if fields.count > ResponseBounds.maximumFields {
            return broken("more than \(ResponseBounds.maximumFields) header fields")
        }
        var total = 0
        for field in fields {
            let size = field.name.utf8.count + field.value.utf8.count
            if size > ResponseBounds.largestField {
                return broken("a header field of more than \(ResponseBounds.largestField / 1024) KiB")
            }
            total += size
        }
        if total > ResponseBounds.largestSection {
            return broken("a header section of more than \(ResponseBounds.largestSection / 1024) KiB")
        }
        return nil
    }

    private func broken(_ detail: String) -> TransportError {
        isBroken = true
        return TransportError(.malformed, detail)
    }
}

private final class BytesBeforeDecoding: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let watch: ResponseWatch

    init(_ watch: ResponseWatch) { self.watch = watch }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if watch.isBroken { return }
        watch.read(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
        if !watch.isBroken, let problem = watch.problemAfterRead() { context.breakOff(problem) }
    }
}

private final class PartsAfterDecoding: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let watch: ResponseWatch

    init(_ watch: ResponseWatch) { self.watch = watch }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if watch.isBroken { return }
        if let problem = watch.problem(with: unwrapInboundIn(data)) {
            context.breakOff(problem)
        } else {
            context.fireChannelRead(data)
        }
    }
}

extension ChannelHandlerContext {
    fileprivate func breakOff(_ problem: TransportError) {
        fireErrorCaught(problem)
        close(promise: nil)
    }
}
