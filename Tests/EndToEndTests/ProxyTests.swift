import PawlTestKit
import Testing

extension EndToEnd {
    /// The program behind squid and behind a SOCKS server, and over TLS with certificates of its own.
    @Suite("Proxies and certificates", .serialized, .timeLimit(.minutes(3)))
    struct ProxyTests {
        static let content = Files.randomBytes((2 << 20) + 7)

        // MARK: squid

        @Test(arguments: RealServer.Scheme.allCases)
        func `a file is downloaded through squid with a login and several connections`(
            _ scheme: RealServer.Scheme
        ) async throws {
            let world = try await World(.init(kind: .nginx, scheme: scheme), content: Self.content)
            let proxy = try await RealProxy(.squid)
            let output = try await Program.run(world.get("-q", "-x", "4", "--proxy", proxy.url("http")))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            try await until("squid has noted it") { !proxy.log.isEmpty }
            #expect(proxy.log.allSatisfy { $0.hasSuffix(" user") }, "\(proxy.log)")
            let methods = Set(proxy.log.map { $0.split(separator: " ")[2] })
            #expect(methods == [scheme == .http ? "GET" : "CONNECT"])
            try await proxy.stop()
            try await world.server.stop()
        }

        @Test
        func `the environment names the proxy and no_proxy the exceptions, and the command's flags override both`()
            async throws
        {
            let world = try await World(content: Self.content)
            let proxy = try await RealProxy(.squid)
            // squid logs a request a moment after answering it, so each run has its own query.
            let run = { (name: String, words: [String], environment: [String: String]) async throws in
                Files.remove(world.target)
                let arguments = world.get("-q").map { $0 == world.server.url(World.name) ? $0 + "?run=\(name)" : $0 }
                let output = try await Subprocess.run(Program.path.get(), arguments + words, environment: environment)
                #expect(output.ending == ExitCode.done, "\(name): \(output.standardError)")
                try world.expectOnly(Self.content)
            }
            let noted = { (name: String) in proxy.log.filter { $0.contains("?run=\(name) ") } }
            try await run("named", [], ["http_proxy": proxy.url("http")])
            try await run("excepted", [], ["http_proxy": proxy.url("http"), "no_proxy": "127.0.0.0/8"])
            try await run("shouted", [], ["HTTP_PROXY": proxy.url("http")])
            try await run("unset", ["--proxy", ""], ["http_proxy": proxy.url("http")])
            try await run("unwanted", ["--no-proxy", "127.0.0.1"], ["http_proxy": proxy.url("http")])
            try await run("wanted", ["--no-proxy", ""], ["all_proxy": proxy.url("http"), "no_proxy": "*"])
            try await run("bound", ["--proxy", proxy.url("http"), "--bind-address", "127.0.0.5"], [:])
            for name in ["named", "wanted", "bound"] {
                try await until("squid has noted \(name)") { !noted(name).isEmpty }
            }
            for name in ["excepted", "shouted", "unset", "unwanted"] { #expect(noted(name).isEmpty, "\(proxy.log)") }
            #expect(noted("bound").allSatisfy { $0.hasPrefix("127.0.0.5 ") }, "\(proxy.log)")
            try await proxy.stop()
            try await world.server.stop()
        }

        @Test(arguments: RealServer.Scheme.allCases)
        func `a wrong proxy password is reported at once, without showing it`(_ scheme: RealServer.Scheme) async throws
        {
            let world = try await World(.init(kind: .nginx, scheme: scheme), content: Self.content)
            let proxy = try await RealProxy(.squid)
            let output = try await Program.run(world.get("--json", "--proxy", proxy.url("http", password: "guessed")))
            #expect(output.ending == ExitCode.refused, "\(output.standardError)")
            #expect(output.standardError.contains("rejected the user name or password"))
            #expect(!(output.standardError + output.standardOutput).contains("guessed"))
            try await until("squid has noted it") { !proxy.log.isEmpty }
            #expect(proxy.log.count == 1, "\(proxy.log)")
            try await proxy.stop()
            try await world.server.stop()
        }

        @Test func `N20 a tunnel that the proxy forbids is reported at once, and the partial file is kept`()
            async throws
        {
            let world = try await World(.init(kind: .nginx, scheme: .https), places: [.slow], content: Self.content)
            let durable = try await world.interrupt(world.get(in: .slow, "-x", "1", "--json", "--max-speed", "100k"))
            let proxy = try await RealProxy(.squid, tunnelsTo: 1)
            let output = try await Program.run(world.get(in: .slow, "-q", "--proxy", proxy.url("http")))
            #expect(output.ending == ExitCode.refused, "\(output.standardError)")
            #expect(
                output.standardError.contains("the proxy does not allow a connection to the server (403 Forbidden)"))
            try await until("squid has noted it") { !proxy.log.isEmpty }
            #expect(proxy.log.count == 1, "\(proxy.log)")
            let status = try #require(try await Program.status(of: world.target))
            #expect(status.resumableBytes >= durable)
            try await proxy.stop()

            let again = try await Program.run(world.get(in: .slow, "-q"))
            #expect(again.ending == ExitCode.done, "\(again.standardError)")
            try world.expectOnly(Self.content)
            try await world.server.stop()
        }

        @Test func `N21 a cache on the way answers range requests from its copy, and every byte is right`() async throws
        {
            let world = try await World(content: Self.content)
            let proxy = try await RealProxy(.squid, cacheBytes: 8 << 20)
            for connections in ["1", "4"] {
                Files.remove(world.target)
                let output = try await Program.run(world.get("-q", "-x", connections, "--proxy", proxy.url("http")))
                #expect(output.ending == ExitCode.done, "\(output.standardError)")
                try world.expectOnly(Self.content)
            }
            // Resume from a file without a journal, through the cache.
            let half = Self.content.count / 2
            Files.remove(world.target)
            try Files.write(Self.content.prefix(half), to: world.partial)
            let output = try await Program.run(world.get("-q", "--adopt", "--proxy", proxy.url("http")))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            try await proxy.stop()
            try await world.server.stop()
        }

        // MARK: SOCKS

        @Test(arguments: RealServer.Scheme.allCases, ["socks5", "socks5h"])
        func `a file is downloaded through a SOCKS proxy with a login`(
            _ scheme: RealServer.Scheme, kind: String
        ) async throws {
            let world = try await World(.init(kind: .nginx, scheme: scheme), content: Self.content)
            let proxy = try await RealProxy(.microsocks)
            let output = try await Program.run(world.get("-q", "--proxy", proxy.url(kind)))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            // Repeat with a host name; the certificate is valid for localhost as well.
            Files.remove(world.target)
            let named = world.get("-q", "--proxy", proxy.url(kind)).map {
                $0.replacing("127.0.0.1:\(world.server.port)", with: "localhost:\(world.server.port)")
            }
            let again = try await Program.run(named)
            #expect(again.ending == ExitCode.done, "\(again.standardError)")
            try world.expectOnly(Self.content)
            try await proxy.stop()
            try await world.server.stop()
        }

        // MARK: Certificates

        @Test func `--insecure accepts any certificate, and each run warns about it`() async throws {
            let world = try await World(.init(kind: .nginx, scheme: .https), content: Self.content)
            let command = ["get", world.server.url(World.name), "-o", world.target, "-q"]
            let refused = try await Program.run(command)
            #expect(refused.ending == ExitCode.network, "\(refused.standardError)")

            let output = try await Program.run(command + ["--insecure", "--json"])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardError.contains("certificates are not checked"))
            let events = try Program.events(in: output.standardOutput)
            #expect(
                events.contains {
                    $0["event"] as? String == "warning" && ($0["message"] as? String)?.contains("--insecure") == true
                })
            try world.expectOnly(Self.content)
            try await world.server.stop()
        }
    }
}
