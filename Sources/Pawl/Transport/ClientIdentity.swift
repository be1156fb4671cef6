internal import NIOSSL
internal import PawlCore

/// The certificate we show, and its key: read, and found to belong together.
struct ClientIdentity {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    init(certificateFile: String, keyFile: String?, _ files: PEMFiles) throws(TransportError) {
        let certificates = try files.bytes(of: certificateFile, "certificate file")
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificates), !chain.isEmpty else {
            throw TransportError(.tls, "the file \(certificateFile) holds no certificate in PEM form")
        }
        let keyPath = keyFile ?? certificateFile
        guard let key = Self.readKey(try files.bytes(of: keyPath, "private key file")) else {
            throw TransportError(
                .tls,
                keyFile == nil
                    ? "the file \(keyPath) holds no private key in PEM form beside the certificate, and no key file is given"
                    : "the file \(keyPath) holds no private key in PEM form")
        }
        guard let key else {
            throw TransportError(
                .tls,
                "the private key in \(keyPath) is encrypted; make a copy without a passphrase: openssl pkey -in KEY -out COPY"
            )
        }
        guard Self.belongTogether(chain, key) else {
            throw TransportError(
                .tls, "the private key in \(keyPath) does not belong to the certificate in \(certificateFile)")
        }
        (self.chain, self.key) = (chain, key)
    }

    /// Outer nil: none. Inner nil: an encrypted one.
    private static func readKey(_ bytes: [UInt8]) -> NIOSSLPrivateKey?? {
        var isEncrypted = false
        // Asked for a passphrase only if the key has one.
        let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) { (setter: NIOSSLPassphraseSetter<[UInt8]>) in
            isEncrypted = true
            setter([])
        }
        if let key { return .some(.some(key)) }
        return isEncrypted ? .some(nil) : nil
    }

    private static func belongTogether(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
        // The library compares the two when it is given both.
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }
}
