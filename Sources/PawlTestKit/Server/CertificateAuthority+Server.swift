#if canImport(NIOSSL)
extension CertificateAuthority {
    /// Makes a server with a certificate of this authority for `names`.
    ///
    /// - Parameter days: How long the certificate is valid; a negative number makes an expired one.
    package func makeServer(names: [CertificateName], commonName: String, days: Int = 2) async throws -> ServerTLS {
        let files = try TemporaryDirectory("leaf")
        let (request, extensions, certificate) = (files.file("csr"), files.file("extensions"), files.file("leaf.pem"))
        try await openssl(["req", "-new", "-key", serverKey, "-subj", "/CN=\(commonName)", "-out", request])
        try Files.write(
            (names.isEmpty ? "" : "subjectAltName=DER:\(CertificateName.hex(names))\n").utf8, to: extensions)
        try await openssl(
            ["x509", "-req", "-in", request, "-out", certificate, "-days", "\(days)", "-extfile", extensions]
                + ["-CA", self.certificate, "-CAkey", directory.file("ca.key")]
                + ["-set_serial", "\(UInt32.random(in: 1...UInt32.max))"]
        )
        // The directory is removed after the last use of `files`.
        return try withExtendedLifetime(files) { try ServerTLS(self, certificate: certificate) }
    }
}
#endif
