import PawlTestKit
import Testing

extension EndToEnd {
    /// A private authority that only variables of the environment name.
    @Suite("Authorities from the environment", .serialized, .timeLimit(.minutes(3)))
    struct AuthorityVariableTests {
        private static let content = Files.randomBytes(50_000)

        private static func get(_ world: World, _ variables: [String: String]) async throws -> Subprocess.Output {
            try await Subprocess.run(
                Program.path.get(),
                ["get", "-q", "--retries", "0", world.server.url(World.name, in: .plain), "-o", world.target],
                environment: variables)
        }

        @Test func `N27 a private authority is trusted by SSL_CERT_FILE, SSL_CERT_DIR and CURL_CA_BUNDLE`() async throws
        {
            let world = try await World(World.Origin(kind: .nginx, scheme: .https), content: Self.content)
            let certificate = try #require(world.authority).certificate
            let hashed = try TemporaryDirectory("hashed")
            try Files.write(try Files.read(certificate), to: hashed.file("ca.pem"))
            let rehash = try await Subprocess.run("openssl", ["rehash", hashed.path])
            try #require(rehash.ending == .exited(0), "\(rehash.standardError)")
            for variables in [
                ["SSL_CERT_FILE": certificate], ["SSL_CERT_DIR": "/nonexistent:\(hashed.path)"],
                ["CURL_CA_BUNDLE": certificate, "SSL_CERT_FILE": "/nonexistent"],
            ] {
                let output = try await Self.get(world, variables)
                #expect(output.ending == ExitCode.done, "\(variables): \(output.standardError)")
                try world.expectOnly(Self.content)
                Files.remove(world.target)
            }
            try await world.server.stop()
        }

        @Test func `N27 the message about a certificate names the variables, and so does one about their file`()
            async throws
        {
            let world = try await World(World.Origin(kind: .nginx, scheme: .https), content: Self.content)
            let other = try await CertificateAuthority()
            let untrusted = try await Self.get(world, ["SSL_CERT_FILE": other.certificate])
            #expect(untrusted.ending == ExitCode.network, "\(untrusted.standardError)")
            #expect(untrusted.standardError.contains("$SSL_CERT_FILE"), "\(untrusted.standardError)")
            let missing = try await Self.get(world, ["CURL_CA_BUNDLE": "/nonexistent"])
            #expect(missing.ending == ExitCode.network, "\(missing.standardError)")
            #expect(missing.standardError.contains("$CURL_CA_BUNDLE"), "\(missing.standardError)")
            try await world.server.stop()
        }

        @Test func `N27 variables that name nothing do not stop downloads that need no certificate`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Self.get(world, ["SSL_CERT_FILE": "/nonexistent"])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try await world.server.stop()
        }
    }
}
