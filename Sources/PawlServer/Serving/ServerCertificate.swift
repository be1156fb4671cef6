import NIOSSL
package import Pawl
import PawlCore

/// What the service shows to those who connect with TLS.
package struct ServerCertificate: Sendable {
    let configuration: TLSConfiguration

    /// - Parameter key: nil if it stands in the file of the certificate.
    /// - Throws: for a file that cannot be read, or a key that is not the certificate's.
    package init(_ certificate: String, key: String?) throws(DownloadError) {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key ?? certificate, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            _ = try NIOSSLContext(configuration: configuration)
            self.configuration = configuration
        } catch {
            let what =
                if let key {
                    "“\(certificate)” with the key “\(key)” cannot be used for TLS. Both have to be PEM files that can be read, the key not encrypted and the certificate's own."
                } else {
                    "“\(certificate)” cannot be used for TLS. Without tls_key it has to be a PEM file that can be read, with the certificate and its key, not encrypted."
                }
            throw DownloadError(.notWritable, what, recovery: .giveUp)
        }
    }
}
