import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

/// nginx, lighttpd or Apache httpd on a free loopback port, with a configuration, files and log of its own.
///
/// The same files are served beneath every ``Place``, so a test chooses a server's behaviour by the path it asks for.
package final class RealServer: Sendable {
    package enum Kind: String, CaseIterable, Sendable { case nginx, lighttpd, apache2 }
    package enum Scheme: String, CaseIterable, Sendable { case http, https }

    /// One line of the access log.
    package struct Request: Hashable, Sendable {
        package let status: Int
        /// Bytes handed to the kernel; a client that disconnected may have read fewer.
        package let bodyBytes: Int64
        package let range: String?
        package let method: String
        package let path: String
        /// The field `X-Run` of the request, for a test that tells its runs apart.
        package let run: String?
    }

    package let kind: Kind
    package let scheme: Scheme
    package let port: UInt16
    let places: [Place]
    let authority: CertificateAuthority?
    let asksForCertificates: Bool
    private let directory: TemporaryDirectory
    private let process = Locked<Subprocess?>(nil)

    /// - Parameter asksForCertificates: Over HTTPS, answer 400 to a client without a certificate of the same authority.
    package init(
        _ kind: Kind, _ scheme: Scheme, authority: CertificateAuthority? = nil, asksForCertificates: Bool = false,
        places: [Place] = [.plain]
    ) throws {
        self.kind = kind
        self.asksForCertificates = asksForCertificates
        self.scheme = scheme
        self.authority = authority
        self.places = places
        port = try Self.freePort()
        directory = try TemporaryDirectory(kind.rawValue)
        try Files.makeDirectory(files)
        // Apache httpd, started as root, switches to its own user, which must be able to read here.
        for path in [directory.path, files] { try Files.setMode(path, 0o755) }
        try Files.write("\(Login.basicLine)\n".utf8, to: passwords)
        for algorithm in [DigestAlgorithm.md5, .sha256] {
            try Files.write("\(Login.digestLine(algorithm))\n".utf8, to: passwords(algorithm))
        }
        try Files.write(try configuration().utf8, to: configurationFile)
    }

    var home: String { directory.path }
    var files: String { directory.file("files") }
    var configurationFile: String { directory.file("configuration") }
    var accessLog: String { directory.file("access") }
    var errorLog: String { directory.file("errors") }
    /// The path of a password file in htpasswd's format.
    var passwords: String { directory.file("passwords") }
    /// The path of a password file in htdigest's format.
    func passwords(_ algorithm: DigestAlgorithm) -> String { directory.file("passwords-\(algorithm)") }

    package func start() async throws {
        let process = try spawn()
        let deadline = ContinuousClock.now + .seconds(60)
        while !Self.answers(on: port) {
            guard process.running(), ContinuousClock.now < deadline else {
                throw ServerError.didNotStart(
                    kind.rawValue, process.standardError + ((try? Files.text(errorLog)) ?? ""))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        self.process.withLock { $0 = process }
    }

    /// Stops the server at once: open connections are cut off.
    package func stop() async throws {
        let process = self.process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let process else { return }
        // All three servers exit on SIGTERM, after writing the rest of their log.
        process.terminate()
        _ = try await process.wait(timeout: .seconds(60))
    }

    package func url(_ file: String, in place: Place = .plain) -> String {
        "\(scheme.rawValue)://127.0.0.1:\(port)/\(place.name)/\(file)"
    }

    /// Installs a file in one step: a request under way keeps the old one. The default modification time is in 2020, so
    /// that the file's validators are not recent.
    package func put(_ content: some Collection<UInt8>, at name: String, modified: Int64 = 1_577_836_800) throws {
        let path = "\(files)/\(name)"
        try Files.write(content, to: path + ".new")
        try Files.setModified(path + ".new", secondsSinceEpoch: modified)
        try Files.rename(path + ".new", to: path)
    }

    /// Stops the server, which completes its log, then reads the log.
    package func stopAndReadLog() async throws -> [Request] {
        try await stop()
        guard Files.exists(accessLog) else { return [] }
        return try Files.text(accessLog).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count == 6 else { return nil }
            return Request(
                status: Int(fields[0]) ?? 0, bodyBytes: Int64(fields[1]) ?? 0,
                range: fields[2] == "-" ? nil : fields[2], method: fields[3], path: fields[4],
                run: fields[5] == "-" ? nil : fields[5]
            )
        }
    }

    private func configuration() throws -> String {
        switch kind {
        case .nginx: try nginxConfiguration()
        case .lighttpd: try lighttpdConfiguration()
        case .apache2: try apacheConfiguration()
        }
    }

    private func spawn() throws -> Subprocess {
        let program = kind.rawValue
        return switch kind {
        case .nginx: try Subprocess(program, ["-p", directory.path, "-c", configurationFile, "-e", errorLog])
        case .lighttpd: try Subprocess(program, ["-D", "-f", configurationFile])
        // A single process with threads, in the foreground, so that nothing outlives it.
        case .apache2: try Subprocess(program, ["-X", "-f", configurationFile])
        }
    }
}
