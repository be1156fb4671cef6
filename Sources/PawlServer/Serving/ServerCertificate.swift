import NIOSSL
package import Pawl
import PawlCore

/// The certificate that the service shows to clients that connect with TLS.
package struct ServerCertificate: Sendable {
    let configuration: TLSConfiguration

    /// - Parameter key: nil if it stands in the file of the certificate.
    /// - Throws: for a file that cannot be read, or a key that is not the certificate's.
    package init(_ certificate: String, key: String?) throws(DownloadError) {
        do {
            // NIOSSL opens paths in UTF-8 only.
            let files = PEMFiles()
            let chain = try NIOSSLCertificate.fromPEMBytes(files.bytes(of: certificate, "certificate file"))
            let key = try files.bytes(of: key ?? certificate, "private key file")
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            _ = try NIOSSLContext(configuration: configuration)
            self.configuration = configuration
        } catch {
            let what =
                if let key {
                    "“\(certificate)” with the key “\(key)” cannot be used for TLS. Both must be readable PEM files, and the key must be unencrypted and belong to the certificate."
                } else {
                    "“\(certificate)” cannot be used for TLS. Without tls_key it must be a readable PEM file with the certificate and its unencrypted key."
                }
            throw DownloadError(.notWritable, what, recovery: .giveUp)
        }
    }
}
