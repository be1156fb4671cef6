import PawlTestKit
import Testing

#if os(Linux)
import Glibc

extension EndToEnd {
    /// FAULTS N12, N13, N15: names with several addresses, some of them dead. The program gets its own hosts file,
    /// which requires a mount namespace.
    @Suite(
        .serialized, .timeLimit(.minutes(10)),
        .enabled("this system lets us make no mount namespace") { await Namespace.isAvailable() })
    struct `B5 Addresses` {
        private let content = FileBehaviour.pattern(count: 2_000_000)

        @Test func `N12 an unresponsive IPv6 address does not use up the connect timeout if there is an IPv4 address`()
            async throws
        {
            let server = try ScriptedServer(file: FileBehaviour(content: content))
            defer { server.stop() }
            let hole = try BlackHole(.v6, port: server.port)
            try #require(try hole.swallows(), "this system answers where it should not")
            let (output, took, directory) = try await get(server, hosts: "::1 two.test\n127.0.0.1 two.test\n")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(directory.file("file.bin"), to: content))
            // Without the IPv4 address, the program would wait for the connect timeout of 30 s. A busy machine may take
            // longer than a second.
            #expect(took < .seconds(25), "\(took)")
        }

        @Test
        func `N13 unreachable addresses among several stop nothing, and every segment reaches the working address`()
            async throws
        {
            let content = FileBehaviour.pattern(count: 8_000_000)
            var behaviour = FileBehaviour(content: content)
            behaviour.bytesPerSecond = 3_000_000
            let server = try ScriptedServer(file: behaviour)
            defer { server.stop() }
            // 127.0.0.3 drops every packet, nobody listens on 127.0.0.2, and the server listens on 127.0.0.1.
            let hole = try BlackHole(.v4(lastByte: 3), port: server.port)
            try #require(try hole.swallows(), "this system answers where it should not")
            let hosts = "127.0.0.3 many.test\n127.0.0.2 many.test\n127.0.0.1 many.test\n"
            let (output, took, directory) = try await get(server, hosts: hosts)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(directory.file("file.bin"), to: content))
            #expect(Set(server.requests.map(\.connection)).count >= 2, "no second segment found the server")
            #expect(took < .seconds(25), "\(took)")
        }

        @Test func `N15 an unknown host name is one clear line and the exit code for network errors`() async throws {
            let server = try ScriptedServer(file: FileBehaviour(content: content))
            defer { server.stop() }
            let (output, took, directory) = try await get(server, hosts: "127.0.0.1 localhost\n")
            #expect(output.ending == ExitCode.network)
            #expect(output.standardError.contains("two.test was not found"), "\(output.standardError)")
            #expect(try Files.names(directory.path) == [])
            // Retrying, as for a server that is down, would take minutes.
            #expect(took < .seconds(60), "\(took)")
        }

        @Test func `a host in letters outside ASCII is looked up, asked and shown in its ASCII form`() async throws {
            let server = try ScriptedServer(file: FileBehaviour(content: content))
            defer { server.stop() }
            let directory = try TemporaryDirectory("download")
            let output = try await Namespace.run(
                Program.path.get(),
                ["get", "http://Bücher.test:\(server.port)/file.bin", "-o", directory.file("file.bin"), "--quiet"],
                hosts: "127.0.0.1 xn--bcher-kva.test\n")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(directory.file("file.bin"), to: content))
            #expect(
                server.requests.allSatisfy {
                    String(decoding: $0.raw, as: UTF8.self).contains("Host: xn--bcher-kva.test:\(server.port)\r\n")
                })
        }

        @Test func `N15 a list of files of an unknown host prints one error for it, and counts them all`() async throws
        {
            let directory = try TemporaryDirectory("download")
            let words = ["get", "http://bücher.test/[01-24]", "-d", directory.path, "--jobs", "24"]
            let output = try await Namespace.run(Program.path.get(), words, hosts: "127.0.0.1 localhost\n")
            #expect(output.ending == ExitCode.network)
            let lines = output.standardError.split(separator: "\n")
            #expect(lines.count { $0.contains("was not found") } == 2, "\(output.standardError)")
            #expect(lines.contains { $0.contains("0 of 24 files, 24 failed") }, "\(output.standardError)")
            #expect(lines.contains { $0.contains("24 files from ") && $0.contains("(xn--bcher-kva.test)") })

            let told = try await Namespace.run(
                Program.path.get(), words + ["--json"], hosts: "127.0.0.1 localhost\n")
            #expect(told.ending == ExitCode.network)
            #expect(told.standardOutput.split(separator: "\n").count { $0.contains("\"event\":\"failed\"") } == 24)
        }

        /// Downloads from `many.test` if `hosts` has that name, otherwise from `two.test`.
        private func get(
            _ server: ScriptedServer, hosts: String
        ) async throws -> (Subprocess.Output, Duration, TemporaryDirectory) {
            let directory = try TemporaryDirectory("download")
            let name = hosts.contains("many.test") ? "many.test" : "two.test"
            let arguments = [
                "get", "http://\(name):\(server.port)/file.bin", "-o", directory.file("file.bin"), "-x", "4", "--quiet",
            ]
            let began = ContinuousClock.now
            let output = try await Namespace.run(Program.path.get(), arguments, hosts: hosts)
            return (output, ContinuousClock.now - began, directory)
        }
    }
}

/// A private mount namespace with its own `/etc/hosts` and no reachable name server.
private enum Namespace {
    static func isAvailable() async -> Bool {
        let probe = try? await Subprocess.run("unshare", ["--map-root-user", "--mount", "true"])
        return probe?.ending == .exited(0)
    }

    static func run(_ program: String, _ arguments: [String], hosts: String) async throws -> Subprocess.Output {
        let files = try TemporaryDirectory("etc")
        try Files.write(hosts.utf8, to: files.file("hosts"))
        try Files.write("nameserver 127.0.0.1\n".utf8, to: files.file("resolv.conf"))
        try Files.write("hosts: files dns\n".utf8, to: files.file("nsswitch.conf"))
        let script = """
            for name in hosts resolv.conf nsswitch.conf; do mount --bind "$0/$name" "/etc/$name" || exit 99; done
            exec "$@"
            """
        return try await Subprocess.run(
            "unshare", ["--map-root-user", "--mount", "sh", "-c", script, files.path, program] + arguments)
    }
}

/// An address that accepts packets and answers none: a listener with a full queue drops every further connection
/// attempt.
private final class BlackHole {
    enum Address {
        case v6
        /// 127.0.0.x
        case v4(lastByte: UInt32)
    }

    private let address: Address
    private let port: UInt16
    private var descriptors: [CInt] = []

    init(_ address: Address, port: UInt16) throws {
        self.address = address
        self.port = port
        let listener = try open()
        var on: CInt = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        try #require(withAddress { bind(listener, $0, $1) } == 0, "bind: \(errno)")
        try #require(listen(listener, 0) == 0)
        // Linux queues one connection more than the backlog says; the other attempts fill any slack that the system
        // adds.
        for _ in 0..<4 { _ = try connecting() }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// Whether a further connection attempt stays unanswered for 300 ms.
    func swallows() throws -> Bool {
        var poll = pollfd(fd: try connecting(), events: Int16(POLLOUT), revents: 0)
        return Glibc.poll(&poll, 1, 300) == 0
    }

    private func connecting() throws -> CInt {
        let descriptor = try open()
        _ = withAddress { connect(descriptor, $0, $1) }
        return descriptor
    }

    private func open() throws -> CInt {
        let family = if case .v6 = address { AF_INET6 } else { AF_INET }
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        try #require(descriptor >= 0)
        descriptors.append(descriptor)
        return descriptor
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        switch address {
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        case .v4(let lastByte):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = (0x7f00_0000 | lastByte).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }
}
#endif
