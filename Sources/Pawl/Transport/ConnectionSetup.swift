internal import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import PawlCore

/// Makes a socket that is connected into a connection to the server: through a proxy, over TLS, or both, one step after
/// the other.
///
/// It stands at the end of the pipeline, puts what a step needs before itself, and takes itself out after the last.
final class ConnectionSetup: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Step {
        /// - `peer`: whom the certificate has to be for; nil accepts any.
        case secure(NIOSSLClientHandler, peer: PeerIdentity?, isProxy: Bool)
        case tunnel(any ProxyHandshake)
    }

    private var steps: ArraySlice<Step>
    private var ended: ((Result<Void, TransportError>) -> Void)?
    private var context: ChannelHandlerContext?

    init(_ steps: [Step], ended: @escaping (Result<Void, TransportError>) -> Void) {
        self.steps = steps[...]
        self.ended = ended
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Begins once the handler is in a pipeline.
    func begin() {
        guard let context else { return }
        guard context.channel.isActive else { return fail(Self.closed) }
        perform(context)
    }

    private func perform(_ context: ChannelHandlerContext) {
        switch steps.first {
        case nil:
            let ended = finish()
            // At once, since this is its event loop: what comes next goes to the handlers that are put in its place.
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            ended?(.success(()))
        case .secure(let handler, _, _):
            do {
                // The channel is active, so that the handshake begins when the handler is put in.
                try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
            } catch {
                fail(error)
            }
        case .tunnel(let handshake):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: handshake.begin())), promise: nil)
        }
    }

    private func stepDone(_ context: ChannelHandlerContext) {
        steps = steps.dropFirst()
        perform(context)
    }

    // MARK: - What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard ended != nil else { return }
        guard case .tunnel(var handshake) = steps.first else {
            // Before we have asked for anything.
            return fail(TransportError(.malformed, "a response arrived that was not requested"))
        }
        let step = handshake.receive(unwrapInboundIn(data).readableBytesView)
        steps[steps.startIndex] = .tunnel(handshake)
        switch step {
        case .needsMore: break
        case .send(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .established: stepDone(context)
        case .failed(let error): fail(error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard ended != nil, case TLSUserEvent.handshakeCompleted = event,
            case .secure(let handler, let peer, _) = steps.first
        else {
            return context.fireUserInboundEventTriggered(event)
        }
        // Nothing of what follows, a request or another handshake, has been sent yet.
        if let peer {
            let certificate = handler.peerCertificate
            guard let certificate, peer.matches(certificate) else { return fail(peer.mismatch(certificate)) }
        }
        stepDone(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

    func channelInactive(context: ChannelHandlerContext) {
        fail(Self.closed)
        context.fireChannelInactive()
    }

    // MARK: - The end

    private static let closed = TransportError(.connect, "the connection was closed while it was being established")

    private func fail(_ error: any Error) {
        let error = TransportError(error, isRequestSent: false, isCancelled: false)
        let inWords =
            switch steps.first {
            case .tunnel where error.reason == .connect: TransportError(.proxy, "the proxy closed the connection")
            case .secure(_, _, isProxy: true) where [.connect, .tls, .wrongHost, .notTLS].contains(error.reason):
                TransportError(.proxy, "no secure connection to the proxy: \(error.detail)")
            case .secure, .tunnel, nil: error
            }
        finish()?(.failure(inWords))
    }

    private func finish() -> ((Result<Void, TransportError>) -> Void)? {
        defer { ended = nil }
        return ended
    }
}
