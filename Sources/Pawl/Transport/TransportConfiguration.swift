internal import NIOSSL
internal import PawlCore

/// What a ``HTTPTransport`` is told once, at its start.
package struct TransportConfiguration: Sendable {
    /// For the name's resolution, the TCP connection and the TLS handshake together.
    package var connectTimeout: Duration = .seconds(30)

    /// A PEM file of authorities to trust *instead of* those the system trusts. Nil: those of the system.
    package var certificateAuthorityFile: String?

    /// False accepts any certificate: whoever sits on the path can then read and change what is downloaded.
    package var verifiesCertificates = true

    /// How long a connection without a request is kept for the next one.
    package var idleTimeout: Duration = .seconds(15)

    package init() {}
}

extension TransportConfiguration {
    /// Reads the authority file now, so that a wrong path is reported before the first download and not by every handshake.
    func makeTLSConfiguration() throws(TransportError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if !verifiesCertificates {
            configuration.certificateVerification = .none
        }
        if let certificateAuthorityFile {
            configuration.trustRoots = .certificates(try Self.readAuthorities(certificateAuthorityFile))
        }
        return configuration
    }

    private static func readAuthorities(_ path: String) throws(TransportError) -> [NIOSSLCertificate] {
        // Asked first, because the library reports "cannot be read" and "is no certificate" as one.
        if let code = SystemErrorText.codeOfReading(path) {
            throw TransportError(
                .tls, "the certificate authority file \(path) cannot be read: \(SystemErrorText.describe(code))"
            )
        }
        if let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty { return certificates }
        throw TransportError(.tls, "the certificate authority file \(path) holds no certificate in PEM form")
    }
}
