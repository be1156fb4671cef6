extension TransportConfiguration {
    init(_ configuration: Downloader.Configuration) {
        self.init()
        connectTimeout = configuration.connectTimeout
        certificateAuthorityFile = configuration.certificateAuthorityFile
        clientCertificateFile = configuration.clientCertificateFile
        privateKeyFile = configuration.privateKeyFile
        pemFiles = configuration.pemFiles
        verifiesCertificates = configuration.verifiesCertificates
        proxies = configuration.proxies
        addressFamily = configuration.addressFamily
        bindAddress = configuration.bindAddress
    }
}
