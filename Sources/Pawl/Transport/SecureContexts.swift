internal import NIOSSL
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// What TLS connections are made from. Read from the disk with the first of them, for many downloads need none.
final class SecureContexts: Sendable {
    struct Contexts: Sendable {
        /// The name or address connected to is checked by the handshake itself.
        let direct: NIOSSLContext
        /// It is not, since the other end of the socket is a proxy: see ``PeerIdentity``.
        let throughProxy: NIOSSLContext
    }

    private let configuration: TLSConfiguration
    private let made = Locked<Result<Contexts, TransportError>?>(nil)

    init(_ configuration: TLSConfiguration) {
        self.configuration = configuration
    }

    /// When they are there already.
    var ready: Result<Contexts, TransportError>? { made.withLock { $0 } }

    /// Blocks on the disk.
    func make() -> Result<Contexts, TransportError> {
        made.withLock { made in
            if let made { return made }
            let result = makeNow()
            made = result
            return result
        }
    }

    private func makeNow() -> Result<Contexts, TransportError> {
        do {
            var throughProxy = configuration
            if throughProxy.certificateVerification == .fullVerification {
                throughProxy.certificateVerification = .noHostnameVerification
            }
            return .success(
                Contexts(direct: try NIOSSLContext(configuration: configuration), throughProxy: try NIOSSLContext(configuration: throughProxy)))
        } catch {
            return .failure(TransportError(.tls, "the certificates that are to be trusted, or our own, cannot be used"))
        }
    }
}
