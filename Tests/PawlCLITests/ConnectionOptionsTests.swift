import Pawl
import PawlCore
import Testing

@testable import PawlCLI

@Suite struct ConnectionOptionsTests {
    private func resolve(_ arguments: String...) throws -> ResolvedGet {
        try ResolvedGet.of(["https://example.org/disk.iso"] + arguments)
    }

    private func proxy(
        _ arguments: [String], _ environment: [String: String], for url: String = "http://h/"
    ) throws -> String? {
        let command = try PawlCommand.subcommand(from: ["get", "https://example.org/disk.iso"] + arguments)
        let options = try #require(command as? GetCommand).server.connection
        return try options.proxies { environment[$0] }.server(for: HTTPURL(parsing: url))?.description
    }

    @Test func `proxy flags take precedence over the environment`() throws {
        let environment = ["http_proxy": "http://a:1", "https_proxy": "http://b:1", "no_proxy": "except"]
        #expect(try proxy([], environment) == "http://a:1")
        #expect(try proxy([], environment, for: "https://h/") == "http://b:1")
        #expect(try proxy([], environment, for: "http://except/") == nil)
        #expect(try proxy(["--proxy", "socks5://c"], environment) == "socks5://c:1080")
        #expect(try proxy(["--proxy", "socks5://c"], environment, for: "http://except/") == nil)
        #expect(try proxy(["--proxy", ""], environment) == nil)
        #expect(try proxy(["--no-proxy", "h"], environment) == nil)
        #expect(try proxy(["--no-proxy", ""], environment, for: "http://except/") == "http://a:1")
        #expect(try proxy([], ["NO_PROXY": "h", "ALL_PROXY": "d:2"]) == nil)
        #expect(try proxy([], ["ALL_PROXY": "d:2"]) == "http://d:2")
    }

    @Test func `an invalid proxy is reported without repeating its password`() throws {
        #expect { try proxy(["--proxy", "socks4://u:secret@h"], [:]) } throws: { error in
            let message = (error as? UsageError)?.message ?? ""
            return message.contains("--proxy") && message.contains("socks5") && !message.contains("secret")
        }
        // Variables are judged when they are used.
        #expect(throws: ProxyParseError.malformed) { try proxy([], ["http_proxy": "http://u:sec/ret@h"]) }
    }

    @Test(arguments: ["socks4://u:secret@h:1080", "socks4a://h", "SOCKS4A://h"])
    func `N36 a SOCKS 4 proxy is refused with what to give instead, as an option and in the environment`(
        _ text: String
    ) {
        #expect {
            try proxy(["--proxy", text], [:])
        } throws: { error in
            let message = (error as? UsageError)?.message ?? ""
            return message.contains("--proxy") && message.contains("socks5://") && !message.contains("secret")
        }
        #expect {
            try proxy([], ["all_proxy": text])
        } throws: { error in
            (error as? ProxyParseError) == .oldSOCKS && ProxyParseError.oldSOCKS.cause.contains("socks5://")
        }
    }

    @Test func `the other connection flags set the configuration`() throws {
        let get = try resolve(
            "--connect-timeout", "2.5", "--bind-address", "eth0", "-6", "--certificate", "c.pem", "--private-key",
            "k.pem", "--insecure")
        #expect(get.configuration.connectTimeout == .seconds(2.5))
        #expect(get.configuration.bindAddress == "eth0")
        #expect(get.configuration.addressFamily == .ipv6)
        #expect(get.configuration.clientCertificateFile == "c.pem" && get.configuration.privateKeyFile == "k.pem")
        #expect(!get.configuration.verifiesCertificates)
        #expect(get.warnings.count == 1)
        let plain = try resolve()
        #expect(
            plain.configuration.verifiesCertificates && plain.warnings.isEmpty
                && plain.configuration.addressFamily == .any)
        #expect(try resolve("-4").configuration.addressFamily == .ipv4)
    }

    @Test func `a command line with a proxy's password is not shown again`() throws {
        #expect(try !resolve("--proxy", "http://u:p@h").isFreeOfSecrets)
        #expect(try resolve("--proxy", "http://h").isFreeOfSecrets)
    }

    @Test(arguments: [
        ["-4", "-6"], ["--connect-timeout", "0"], ["--connect-timeout", "x"], ["--connect-timeout", "nan"],
        ["--connect-timeout", "-3"],
    ])
    func `contradictory or impossible connection flags are refused`(_ words: [String]) {
        #expect(throws: UsageError.self) {
            _ = try ResolvedGet.of(["https://example.org/disk.iso"] + words)
        }
    }
}
