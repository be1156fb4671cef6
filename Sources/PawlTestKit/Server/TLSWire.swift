#if canImport(NIOSSL)
internal import NIOCore
internal import NIOEmbedded
internal import NIOSSL

/// The server's side of TLS: swift-nio-ssl's handler in a channel that is connected to nothing.
final class TLSWire: Wire, @unchecked Sendable {  // Used only on its connection's thread, which the channel checks.
    private let handler: NIOSSLServerHandler
    private let channel: EmbeddedChannel

    init(_ context: NIOSSLContext) throws {
        handler = NIOSSLServerHandler(context: context)
        channel = EmbeddedChannel(handler: handler)
        // From here on, the handler waits for the ClientHello.
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 0), promise: nil)
    }

    func open(_ bytes: [UInt8]) throws -> (content: [UInt8], reply: [UInt8]) {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        var content: [UInt8] = []
        while let part = try channel.readInbound(as: ByteBuffer.self) { content += part.readableBytesView }
        return (content, outbound())
    }

    func seal(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        try channel.throwIfErrorCaught()
        return outbound()
    }

    func farewell() -> [UInt8] {
        // Half-closing sends close_notify and, unlike a full close, does not wait for an answer.
        channel.close(mode: .output, promise: nil)
        return outbound()
    }

    func failureReply() -> [UInt8] { outbound() }

    func dispose() {
        // Without the handler, which would insist on an orderly shutdown, the channel closes at once.
        channel.pipeline.syncOperations.removeHandler(handler, promise: nil)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    private func outbound() -> [UInt8] {
        var bytes: [UInt8] = []
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
        return bytes
    }
}

/// The TLS configuration of a scripted server.
package struct ServerTLS: Sendable {
    package enum Version: Sendable {
        case tls10, tls11, tls12, tls13
    }

    /// PEM of the authority that a client has to trust.
    package let authority: [UInt8]
    private let certificate: [UInt8]
    private let key: [UInt8]

    /// The newest version that the server speaks.
    package var maximumVersion = Version.tls13
    /// Whether clients must present a certificate of the same authority.
    package var asksForCertificates = false
    /// Called for every connection, counted from 1; nil means no fault.
    package var handshakeFault: @Sendable (_ connection: Int) -> HandshakeFault? = { _ in nil }

    /// The identity that the server presents on each connection; nil means its own.
    package var identity: @Sendable (_ connection: Int) -> ServerTLS? = { _ in nil }
    /// Protocols that the server offers, most preferred first; empty disables the negotiation.
    package var applicationProtocols: [String] = []

    package init(_ authority: CertificateAuthority) throws {
        try self.init(authority, certificate: authority.serverCertificate)
    }

    /// - Parameter certificate: The path of a certificate that the authority issued for its server's key.
    init(_ authority: CertificateAuthority, certificate: String) throws {
        self.authority = try Files.read(authority.certificate)
        self.certificate = try Files.read(certificate)
        key = try Files.read(authority.serverKey)
    }

    private static let sharedAuthority = Task { try ServerTLS(try await CertificateAuthority()) }

    /// A certificate for 127.0.0.1 and localhost, shared by the whole process.
    package static func shared() async throws -> ServerTLS { try await sharedAuthority.value }

    fileprivate func makeSecurity() throws -> ScriptedServer.Security {
        let context = try makeContext()
        return ScriptedServer.Security(
            makeWire: { [identity] connection in try TLSWire(identity(connection)?.makeContext() ?? context) },
            handshakeFault: handshakeFault)
    }

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: certificate, format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
        if asksForCertificates {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority, format: .pem)])
        }
        configuration.applicationProtocols = applicationProtocols
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion =
            switch maximumVersion {
            case .tls10: .tlsv1
            case .tls11: .tlsv11
            case .tls12: .tlsv12
            case .tls13: .tlsv13
            }
        return try NIOSSLContext(configuration: configuration)
    }
}

extension ScriptedServer {
    /// - Parameter tls: nil speaks HTTP in the clear.
    package convenience init(
        tls: ServerTLS?, admit: @escaping @Sendable (_ open: Int) -> Admission = { _ in .serve },
        script: @escaping Script
    ) throws {
        let security = try tls?.makeSecurity()
        try self.init(security: security, admit: admit, script: script)
    }

    package convenience init(tls: ServerTLS?, file behaviour: FileBehaviour) throws {
        let script = FileScript(behaviour)
        try self.init(tls: tls, admit: script.admit, script: script.answer)
    }
}
#endif
