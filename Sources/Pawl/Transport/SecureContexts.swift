internal import NIOSSL
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// What TLS connections are made from. Each is read from the disk with the first connection that needs it, for many downloads need none.
final class SecureContexts: Sendable {
    enum Use: Hashable, Sendable {
        /// The handshake itself compares the certificate with the name, or the address, that the socket is connected to.
        case direct
        /// It must not, since the other end of the socket is a proxy: see ``PeerIdentity``.
        case throughProxy
    }

    private let configuration: TLSConfiguration
    private let made = Locked<[Use: Result<NIOSSLContext, TransportError>]>([:])
    /// Held while reading, and by threads that may block only.
    private let making = Locked(())

    init(_ configuration: TLSConfiguration) {
        self.configuration = configuration
    }

    /// Nil when it has not been made yet.
    func context(for use: Use) -> Result<NIOSSLContext, TransportError>? { made.withLock { $0[use] } }

    /// Blocks on the disk, the first time.
    func make(for use: Use) {
        making.withLock { _ in
            guard context(for: use) == nil else { return }
            let result = makeNow(use)
            made.withLock { $0[use] = result }
        }
    }

    private func makeNow(_ use: Use) -> Result<NIOSSLContext, TransportError> {
        var configuration = configuration
        if use == .throughProxy, configuration.certificateVerification == .fullVerification {
            configuration.certificateVerification = .noHostnameVerification
        }
        do {
            return .success(try NIOSSLContext(configuration: configuration))
        } catch {
            return .failure(TransportError(.tls, "the certificates that are to be trusted, or our own, cannot be used"))
        }
    }
}
