internal import PawlCore

extension TransportConfiguration {
    package init(_ configuration: Downloader.Configuration) {
        self.init()
        connectTimeout = configuration.connectTimeout
        certificateAuthorityFile = configuration.certificateAuthorityFile
        authorityVariables = configuration.authorityVariables
        clientCertificateFile = configuration.clientCertificateFile
        privateKeyFile = configuration.privateKeyFile
        pemFiles = configuration.pemFiles ?? PEMFiles()
        verifiesCertificates = configuration.verifiesCertificates
        proxies = configuration.proxies
        addressFamily = configuration.addressFamily
        deniesPrivateAddresses = configuration.deniesPrivateAddresses
        bindAddress = configuration.bindAddress
    }

    /// Tells the certificate that servers are shown from others; nil: there is none.
    func clientCertificateDigest() throws(TransportError) -> [UInt8]? {
        guard let clientCertificateFile else { return nil }
        let bytes = try (pemFiles ?? PEMFiles()).bytes(of: clientCertificateFile, "certificate file")
        return SHA256.hash(bytes)
    }
}

extension Downloader.Configuration {
    var namesClientIdentity: Bool { clientCertificateFile != nil || privateKeyFile != nil }
}
