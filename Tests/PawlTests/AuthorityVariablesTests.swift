import PawlTestKit
import Testing

@testable import Pawl

@Suite struct AuthorityVariablesTests {
    private static func variables(_ values: [String: String]) -> AuthorityVariables? {
        AuthorityVariables { values[$0] }
    }

    @Test func `N27 the variables of curl and OpenSSL name authorities, curl's own before the others`() {
        #expect(Self.variables([:]) == nil)
        #expect(Self.variables(["SSL_CERT_FILE": "", "SSL_CERT_DIR": "", "CURL_CA_BUNDLE": ""]) == nil)
        let both = Self.variables(["SSL_CERT_FILE": "/f", "SSL_CERT_DIR": "/a:/b"])
        #expect(both?.file?.path == "/f" && both?.directories?.path == "/a:/b")
        let bundle = Self.variables(["SSL_CERT_FILE": "/f", "SSL_CERT_DIR": "/a", "CURL_CA_BUNDLE": "/c"])
        #expect(bundle?.file?.path == "/c" && bundle?.directories == nil)
        #expect(both?.shown == "the trusted authorities are those of $SSL_CERT_FILE (/f) and $SSL_CERT_DIR (/a:/b)")
    }

    @Test func `N27 the authorities of a directory are those with names of hashes`() async throws {
        let authority = try await CertificateAuthority()
        let directory = try TemporaryDirectory()
        let pem = try Files.read(authority.certificate)
        for name in ["0a1b2c3d.0", "0a1b2c3d.10", "0a1b2c3d.r0", "0a1b2c3.0", "authority.pem", "0a1b2c3d."] {
            try Files.write(pem, to: directory.file(name))
        }
        try Files.write([1], to: directory.file("ffffffff.0"))
        let found = CertificateAuthorities.read(inDirectory: directory.path, PEMFiles())
        #expect(found.count == 2)
    }

    @Test func `N28 certificates are found in bundles with a byte order mark, comments, CRLF, and purposes`()
        async throws
    {
        let authority = try await CertificateAuthority()
        let pem = try Files.read(authority.certificate)
        let plain = CertificateAuthorities.blocks(in: pem)
        #expect(plain.count == 1)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let directory = try TemporaryDirectory()
        try Files.write(mark + pem, to: directory.file("mark.pem"))
        #expect(try PEMFiles().bytes(of: directory.file("mark.pem"), "file") == pem)
        let comments =
            Array("# Soci".utf8) + [0xE9] + Array("t\nsubject=CN\n\n".utf8) + pem + Array("# end\n".utf8) + pem
        #expect(CertificateAuthorities.blocks(in: comments) == plain + plain)
        let windows = Array(String(decoding: pem, as: UTF8.self).split(separator: "\n").joined(separator: "\r\n").utf8)
        #expect(CertificateAuthorities.blocks(in: windows) == plain)
        let trusted = directory.file("trusted.pem")
        let output = try await Subprocess.run(
            "openssl",
            ["x509", "-in", authority.certificate, "-trustout", "-addtrust", "serverAuth", "-out", trusted])
        #expect(output.ending == .exited(0), "\(output.standardError)")
        #expect(CertificateAuthorities.blocks(in: try Files.read(trusted)) == plain)
        #expect(CertificateAuthorities.blocks(in: Array("-----BEGIN CERTIFICATE-----\n!\n".utf8)) == [])
    }
}
