internal import NIOSSL
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// The TLS context of all connections, to servers and to proxies. It is read from the disk with the first connection
/// that needs it, because many downloads need none.
final class SecureContext: Sendable {
    private let configuration: TLSConfiguration
    private let variables: AuthorityVariables?
    private let files: PEMFiles
    private let made = Locked<Result<NIOSSLContext, TransportError>?>(nil)
    /// The lock held while reading, and by threads that may block only.
    private let making = Locked(())

    init(_ configuration: TransportConfiguration) throws(TransportError) {
        self.configuration = try configuration.makeTLSConfiguration()
        variables = configuration.usedVariables
        files = configuration.pemFiles ?? PEMFiles()
    }

    /// The trusted authorities, for the message about an untrusted certificate; nil for those of the system.
    var unusualTrust: String? { variables?.shown }

    /// The context, or the error of making it; nil if it has not been made yet.
    var result: Result<NIOSSLContext, TransportError>? { made.withLock { $0 } }

    /// Blocks on the disk, the first time.
    func make() {
        making.withLock { _ in
            guard result == nil else { return }
            let result = makeNow()
            made.withLock { $0 = result }
        }
    }

    private func makeNow() -> Result<NIOSSLContext, TransportError> {
        do {
            var configuration = configuration
            try variables?.apply(to: &configuration, files)
            return .success(try NIOSSLContext(configuration: configuration))
        } catch let error as TransportError {
            return .failure(error)
        } catch {
            return .failure(TransportError(.tls, "the trusted certificates or the client certificate cannot be used"))
        }
    }
}
