internal import NIOCore
internal import NIOSSL
package import PawlCore

/// The configuration of an ``HTTPTransport``.
package struct TransportConfiguration: Sendable {
    /// The limit for name resolution, TCP connection, proxy and TLS handshake together.
    package var connectTimeout: Duration = .seconds(30)

    /// A PEM file of authorities to trust *instead of* those the system trusts. Nil: those of the system.
    package var certificateAuthorityFile: String?

    /// The authorities that the environment names; ``certificateAuthorityFile`` takes precedence.
    package var authorityVariables: AuthorityVariables?

    /// A PEM file with the certificate, and those that lead from it to its authority, that we show to servers which ask
    /// for one.
    package var clientCertificateFile: String?

    /// A PEM file with its private key. Nil: it is in the same file.
    package var privateKeyFile: String?

    /// Shared by configurations that name the same files; each transport reads them anew otherwise.
    package var pemFiles: PEMFiles?

    /// Whether server certificates are verified. False accepts any certificate: anyone on the path can then read and
    /// change what is downloaded.
    package var verifiesCertificates = true

    /// The time for which a connection without a request is kept for the next one.
    package var idleTimeout: Duration = .seconds(15)

    /// The proxies; none by default.
    package var proxies = ProxySettings()

    package var addressFamily = AddressFamily.any
    /// See `Downloader.Configuration`.
    package var deniesPrivateAddresses = false

    /// An IP address of this machine, or the name of a network interface. Nil: the system chooses.
    package var bindAddress: String?

    /// Addresses to connect to for these hosts, without asking the system. For tests, whose names no resolver knows.
    package var knownAddresses: [String: String] = [:]

    package init() {}
}

extension TransportConfiguration {
    /// Reads the files now, so that a wrong path is reported before the first download and not by every handshake.
    func makeTLSConfiguration() throws(TransportError) -> TLSConfiguration {
        let files = pemFiles ?? PEMFiles()
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Segments need a TCP connection each; HTTP/2 would fold them into one.
        configuration.applicationProtocols = ["http/1.1"]
        // Our close_notify is sent, and the other's is not waited for: what it may still say is of no interest.
        configuration.shutdownTimeout = .zero
        // The chain is verified by the library, whom the certificate is for by ``PeerIdentity``.
        configuration.certificateVerification = verifiesCertificates ? .noHostnameVerification : .none
        if let certificateAuthorityFile {
            configuration.trustRoots = .certificates(
                try CertificateAuthorities.read(certificateAuthorityFile, "certificate authority file", files))
        }
        if let clientCertificateFile {
            let identity = try ClientIdentity(certificateFile: clientCertificateFile, keyFile: privateKeyFile, files)
            configuration.certificateChain = identity.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(identity.key)
        } else if privateKeyFile != nil {
            throw TransportError(.tls, "a private key needs its certificate, and none is given")
        }
        return configuration
    }

    /// The variables that count, as no file is named. They are read with the first secure connection: a program that
    /// needs none may have been started with variables that name nothing.
    var usedVariables: AuthorityVariables? { certificateAuthorityFile == nil ? authorityVariables : nil }
}

extension TimeAmount {
    init(_ duration: Duration) {
        // A year is as good as never, and the sum of a deadline must not overflow.
        self = .nanoseconds(min(max(duration, .zero), .seconds(365 * 86_400)).wholeNanoseconds)
    }
}
