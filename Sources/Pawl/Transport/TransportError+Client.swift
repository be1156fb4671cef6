internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PawlCore

extension TransportError {
    /// Maps errors of the client library to those of the engine. The library's own texts are dropped: they may name
    /// hosts and paths.
    init(_ error: any Error, isRequestSent: Bool, isCancelled: Bool) {
        if isCancelled {
            self.init(.other, "cancelled")
            return
        }
        let stage: Stage = isRequestSent ? .exchanging : .connecting
        self =
            switch error {
            case let error as TransportError: error
            case let error as NIOConnectionError: Self.connection(error)
            case let error as IOError: Self.system(error.errnoCode, stage)
            case let error as NIOSSLError: Self.secure(error, stage)
            case let error as BoringSSLError: Self.boring(error)
            case is NIOSSLExtraError: TransportError(.tls, "the secure connection failed")
            case ChannelError.connectTimeout: .noAnswer
            case let error as ChannelError: Self.channel(error, stage)
            default: TransportError(.other, "\(type(of: error))")
            }
    }

    /// The same, of an exchange without an answer on a connection that had served before: the server may have closed it
    /// as we sent.
    var onKeptConnection: TransportError {
        reason == .truncated ? TransportError(.stale, detail) : self
    }

    private enum Stage {
        case connecting, exchanging
    }

    private static let noAnswer = TransportError(.connect, "no answer within the connect timeout")

    private static func closed(_ stage: Stage) -> TransportError {
        switch stage {
        case .connecting: TransportError(.connect, "the connection was closed while it was being established")
        case .exchanging: TransportError(.truncated, "the connection was closed before the response was complete")
        }
    }

    private static func connection(_ error: NIOConnectionError) -> TransportError {
        // Of several addresses, the first is the one the system would have us prefer.
        if let first = error.connectionErrors.first {
            return TransportError(first.error, isRequestSent: false, isCancelled: false)
        }
        if let problem = (error.dnsAAAAError ?? error.dnsAError) as? TransportError { return problem }
        return TransportError(.nameResolution, "the host name could not be resolved")
    }

    private static func system(_ code: CInt, _ stage: Stage) -> TransportError {
        let text = SystemErrorText.describe(code)
        if SystemErrorText.isLocalShortage(code) { return TransportError(.other, text) }
        return switch stage {
        case .connecting: TransportError(.connect, text)
        case .exchanging: TransportError(.truncated, text)
        }
    }

    private static func channel(_ error: ChannelError, _ stage: Stage) -> TransportError {
        switch error {
        case .alreadyClosed, .ioOnClosedChannel, .eof, .inputClosed, .outputClosed: closed(stage)
        default: TransportError(.other, "the connection could not be used")
        }
    }

    // MARK: - TLS

    private static func secure(_ error: NIOSSLError, _ stage: Stage) -> TransportError {
        switch error {
        case .uncleanShutdown: closed(stage)
        case .handshakeFailed(let cause): boring(cause)
        case .unableToValidateCertificate, .noCertificateToValidate: untrusted
        default: TransportError(.tls, "the secure connection failed")
        }
    }

    static let untrusted = TransportError(.tls, "the server's certificate is not trusted")

    private static func boring(_ error: BoringSSLError) -> TransportError {
        let stack: NIOBoringSSLErrorStack
        switch error {
        case .sslError(let errors), .unknownError(let errors), .invalidSNIName(let errors),
            .failedToSetALPN(let errors):
            stack = errors
        // The peer hung up in the middle of the handshake: overloaded or gone, but nothing was found wrong with it.
        case .zeroReturn, .syscallError:
            return closed(.connecting)
        case .noError, .wantRead, .wantWrite, .wantConnect, .wantAccept, .wantX509Lookup, .wantCertificateVerify:
            return TransportError(.tls, "the TLS handshake failed")
        }
        if stack.contains(.eofDuringHandshake) || stack.contains(.eofDuringAdditionalCertficiateChainValidation) {
            return closed(.connecting)
        }
        // The codes are not public; the names in OpenSSL's own format are stable.
        let names = stack.map(\.description).joined()
        if names.contains("CERTIFICATE_VERIFY_FAILED") { return untrusted }
        if names.contains("PROTOCOL_VERSION") || names.contains("UNSUPPORTED_PROTOCOL") {
            return TransportError(.tls, "the server supports no TLS version that is still secure")
        }
        if names.contains("WRONG_VERSION_NUMBER") {
            return TransportError(.notTLS, "the server does not speak TLS on this port")
        }
        if names.contains("ALERT") { return TransportError(.tls, "the server refused the TLS handshake") }
        return TransportError(.tls, "the TLS handshake failed")
    }
}
