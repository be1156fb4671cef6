#if canImport(NIOSSL)
extension CertificateAuthority {
    /// A server with a certificate of this authority for other names than the usual.
    ///
    /// - Parameter days: for which it is good; with a negative number it has expired.
    package func makeServer(names: [CertificateName], commonName: String, days: Int = 2) async throws -> ServerTLS {
        let files = try TemporaryDirectory("leaf")
        let (request, extensions, certificate) = (files.file("csr"), files.file("extensions"), files.file("leaf.pem"))
        try await openssl(["req", "-new", "-key", serverKey, "-subj", "/CN=\(commonName)", "-out", request])
        try Files.write((names.isEmpty ? "" : "subjectAltName=DER:\(CertificateName.hex(names))\n").utf8, to: extensions)
        try await openssl(
            ["x509", "-req", "-in", request, "-out", certificate, "-days", "\(days)", "-extfile", extensions]
                + ["-CA", self.certificate, "-CAkey", directory.file("ca.key")]
                + ["-set_serial", "\(UInt32.random(in: 1...UInt32.max))"]
        )
        // The directory goes with the last use of `files`.
        return try withExtendedLifetime(files) { try ServerTLS(self, certificate: certificate) }
    }
}
#endif
