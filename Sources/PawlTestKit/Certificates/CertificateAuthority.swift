/// A private authority and one server certificate for 127.0.0.1 and localhost, made by `openssl` and valid for two days
/// by default.
package struct CertificateAuthority: Sendable {
    let directory: TemporaryDirectory

    /// - Parameter days: How long the server's certificate is valid; a negative number makes an expired one.
    package init(days: Int = 2) async throws {
        directory = try TemporaryDirectory("ca")
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try await openssl(
            ["req", "-x509"] + newKey
                + [
                    "-keyout", directory.file("ca.key"), "-out", certificate, "-days", "2", "-subj",
                    "/CN=Pawl test authority",
                ]
                + ["-addext", "keyUsage=critical,keyCertSign"]
        )
        try await openssl(
            ["req"] + newKey + ["-keyout", serverKey, "-out", directory.file("server.csr"), "-subj", "/CN=localhost"]
        )
        try Files.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n".utf8, to: directory.file("names"))
        try await openssl(
            ["x509", "-req", "-in", directory.file("server.csr"), "-out", serverCertificate, "-days", "\(days)"]
                + ["-CA", certificate, "-CAkey", directory.file("ca.key"), "-CAcreateserial"]
                + ["-extfile", directory.file("names")]
        )
    }

    /// The certificate that a client has to trust.
    package var certificate: String { directory.file("ca.pem") }
    package var serverCertificate: String { directory.file("server.pem") }
    package var serverKey: String { directory.file("server.key") }

    /// A client that the servers admit: its certificate and key, in two files and in one.
    package func makeClient() async throws -> (certificate: String, key: String, both: String) {
        let (certificate, key, both) = (
            directory.file("client.pem"), directory.file("client.key"), directory.file("client-both.pem")
        )
        try await openssl(
            ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
                + ["-keyout", key, "-out", directory.file("client.csr"), "-subj", "/CN=a client"]
        )
        try await openssl(
            ["x509", "-req", "-in", directory.file("client.csr"), "-out", certificate, "-days", "2"]
                + ["-CA", self.certificate, "-CAkey", directory.file("ca.key"), "-CAcreateserial"]
        )
        try Files.write(try Files.read(certificate) + Files.read(key), to: both)
        return (certificate, key, both)
    }

    func openssl(_ arguments: [String]) async throws {
        let output = try await Subprocess.run("openssl", arguments)
        guard output.ending == .exited(0) else { throw ServerError.toolFailed("openssl", output.standardError) }
    }
}
