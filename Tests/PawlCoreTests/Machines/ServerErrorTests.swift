import Testing

@testable import PawlCore

@Suite struct ServerErrorTests {
    private func error(_ reason: TransportError.Reason, _ detail: String) throws -> DownloadError {
        DownloadError(TransportError(reason, detail), at: try HTTPURL(parsing: "https://files.test:8443/a"))
    }

    @Test func `a certificate of another host is no matter of the clock or of an authority`() throws {
        let error = try error(.wrongHost, "the certificate is for localhost, not for files.test")
        #expect(error.code == .tls && error.remedies == [.checkURL] && error.message.contains("Use a host"), "\(error)")
        #expect(try self.error(.tls, "the TLS handshake failed").remedies == [.checkCertificate, .nameAuthority])
    }

    @Test func `a refused connection may be a matter of the port, others are of the network`() throws {
        #expect(try error(.connect, "connection refused").remedies == [.checkPort, .checkNetwork])
        #expect(try error(.connect, "no answer").remedies == [.checkNetwork])
    }

    @Test func `an error of the proxy begins with the proxy`() throws {
        let error = try error(.proxy, "the proxy p:1 cannot be reached: connection refused")
        #expect(error.message == "The proxy p:1 cannot be reached: connection refused.")
        #expect(error.remedies == [.checkProxy, .checkNetwork])
    }
}
