/// squid or microsocks on a free loopback port, with a user `user` whose password is `secret`.
package final class RealProxy: Sendable {
    package enum Kind: String, CaseIterable, Sendable { case squid, microsocks }

    package let kind: Kind
    package let port: UInt16
    private let directory: TemporaryDirectory
    private let process: Subprocess

    /// - Parameters:
    ///   - tunnelsTo: The only port that squid tunnels to; nil for any.
    ///   - cacheBytes: Size of the largest file that squid caches; 0 caches none.
    package init(_ kind: Kind, tunnelsTo: UInt16? = nil, cacheBytes: Int = 0) async throws {
        self.kind = kind
        port = try RealServer.freePort()
        directory = try TemporaryDirectory(kind.rawValue)
        switch kind {
        case .squid:
            try await Self.prepare(directory, port: port, tunnelsTo: tunnelsTo, cacheBytes: cacheBytes)
            process = try Subprocess("squid", ["-N", "-f", directory.file("configuration")])
        case .microsocks:
            process = try Subprocess("microsocks", ["-i", "127.0.0.1", "-p", "\(port)", "-u", "user", "-P", "secret"])
        }
        let deadline = ContinuousClock.now + .seconds(20)
        while !RealServer.answers(on: port) {
            guard process.running(), ContinuousClock.now < deadline else {
                throw ServerError.didNotStart(
                    kind.rawValue, process.standardError + ((try? Files.text(directory.file("log"))) ?? ""))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The proxy's URL with the right password, or another.
    package func url(_ scheme: String, password: String = "secret") -> String {
        "\(scheme)://user:\(password)@127.0.0.1:\(port)"
    }

    package var urlWithoutCredentials: String { "\(kind == .squid ? "http" : "socks5h")://127.0.0.1:\(port)" }

    /// Squid's access log, one line per request: the client's address, the outcome and status, the method, the URL, the
    /// user.
    package var log: [String] {
        // The probe that waits for the server to start sends no request.
        ((try? Files.text(directory.file("access"))) ?? "").split(separator: "\n").map(String.init).filter {
            !$0.contains(" NONE_NONE/000 ")
        }
    }

    package func stop() async throws {
        process.kill9()
        _ = try await process.wait(timeout: .seconds(10))
    }

    private static func prepare(
        _ directory: TemporaryDirectory, port: UInt16, tunnelsTo: UInt16?, cacheBytes: Int
    ) async throws {
        let password = try await Subprocess.run("openssl", ["passwd", "-apr1", "secret"])
        guard password.ending == .exited(0) else { throw ServerError.toolFailed("openssl", password.standardError) }
        try Files.write("user:\(password.standardOutput)".utf8, to: directory.file("passwords"))
        // Squid, started as root, switches to its own user, which must be able to write here.
        _ = try await Subprocess.run("chmod", ["777", directory.path])
        _ = try await Subprocess.run("chmod", ["644", directory.file("passwords")])
        let tunnels =
            tunnelsTo.map { "acl tunnels method CONNECT\nacl allowed port \($0)\nhttp_access deny tunnels !allowed" }
            ?? ""
        let cache =
            cacheBytes > 0
            ? "cache_mem 64 MB\nmaximum_object_size_in_memory \(cacheBytes) bytes\nmaximum_object_size \(cacheBytes) bytes"
            : "cache deny all"
        let configuration = """
            http_port 127.0.0.1:\(port)
            visible_hostname proxy.test
            pid_filename \(directory.file("pid"))
            cache_log \(directory.file("log"))
            cache_store_log none
            coredump_dir \(directory.path)
            pinger_enable off
            shutdown_lifetime 0 seconds
            logformat short %>a %Ss/%03>Hs %rm %ru %un
            access_log stdio:\(directory.file("access")) short
            buffered_logs off
            strip_query_terms off
            auth_param basic program /usr/lib/squid/basic_ncsa_auth \(directory.file("passwords"))
            auth_param basic children 1 startup=1
            acl signed proxy_auth REQUIRED
            \(tunnels)
            http_access allow signed
            http_access deny all
            \(cache)

            """
        try Files.write(configuration.utf8, to: directory.file("configuration"))
    }
}
