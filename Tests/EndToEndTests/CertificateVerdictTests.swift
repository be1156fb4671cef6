import PawlCore
import PawlTestKit
import Testing

extension EndToEnd {
    /// Pawl and curl judge the same certificates.
    @Suite("Certificates, compared with curl", .serialized, .timeLimit(.minutes(5)))
    struct CertificateVerdictTests {
        private static let authorities = Task {
            (trusted: try await CertificateAuthority(), stranger: try await CertificateAuthority())
        }
        /// CURLE_PEER_FAILED_VERIFICATION.
        private static let refusedByCurl = Subprocess.Ending.exited(60)

        @Test(arguments: CertificateCase.all)
        func `H15 behind a proxy, curl and pawl agree on which hosts a certificate covers, except by its common name`(
            _ row: CertificateCase
        ) async throws {
            let authorities = try await Self.authorities.value
            let tls = try await (row.isTrusted ? authorities.trusted : authorities.stranger)
                .makeServer(names: row.names, commonName: row.commonName, days: row.days)
            // One server plays both the proxy and the server behind it.
            let server = try ScriptedServer { request, connection in
                guard request.method == "CONNECT" else { return try Self.answer(connection) }
                try connection.send("HTTP/1.1 200 Connected\r\n\r\n")
                try connection.beginTLS(tls)
            }
            defer { server.stop() }
            let url = "https://\(row.authority)/file"
            let proxy = "http://127.0.0.1:\(server.port)"
            try await expect(pawl: row.isAccepted, curl: row.curlAccepts, of: server, url, through: proxy)
        }

        @Test(
            arguments: [
                ("an address, for localhost", "localhost", [.address([127, 0, 0, 1])], false, false),
                ("an asterisk, for localhost", "localhost", [.dns("*")], false, false),
                ("the common name, for localhost", "localhost", [], false, true),
                ("localhost", "localhost", [.dns("localhost")], true, true),
                ("localhost, for its address", "127.0.0.1", [.dns("localhost")], false, false),
                ("the address", "127.0.0.1", [.address([127, 0, 0, 1])], true, true),
            ] as [(String, String, [CertificateName], Bool, Bool)])
        func `H15 without a proxy, too, a certificate must cover the URL's host`(
            _ what: String, _ host: String, _ names: [CertificateName], _ isAccepted: Bool, _ curlAccepts: Bool
        ) async throws {
            let tls = try await Self.authorities.value.trusted.makeServer(names: names, commonName: "localhost")
            let server = try ScriptedServer(tls: tls) { _, connection in try Self.answer(connection) }
            defer { server.stop() }
            let url = "https://\(host):\(server.port)/file"
            try await expect(pawl: isAccepted, curl: curlAccepts, of: server, url, through: "")
        }

        private static func answer(_ connection: ServerConnection) throws {
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            try connection.sendBody([1, 2, 3, 4, 5])
        }

        private func expect(
            pawl isAccepted: Bool, curl curlAccepts: Bool, of server: ScriptedServer, _ url: String,
            through proxy: String
        ) async throws {
            let directory = try TemporaryDirectory("verdict")
            let trusted = try await Self.authorities.value.trusted.certificate
            let words = ["--proxy", proxy, "--user", "user:secret"]
            let ours = ["get", url, "-q", "-o", directory.file("f"), "--ca-certificate", trusted]
            let pawl = try await Program.run(ours + words)
            #expect(pawl.ending == (isAccepted ? ExitCode.done : ExitCode.network), "pawl: \(pawl.standardError)")
            #expect(Files.exists(directory.file("f")) == isAccepted)
            let sent = server.requests
            #expect(sent.contains { $0.fields.first("Authorization") != nil } == isAccepted, "pawl: \(sent)")
            #expect(sent.allSatisfy { isAccepted || $0.method == "CONNECT" }, "pawl: \(sent)")

            let theirs = ["-q", "-sS", url, "-o", directory.file("g"), "--cacert", trusted]
            let curl = try await Subprocess.run("curl", theirs + words)
            #expect(curl.ending == (curlAccepts ? ExitCode.done : Self.refusedByCurl), "curl: \(curl.standardError)")
        }
    }
}
