import PawlEngine
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

package enum ServerError: Error, CustomStringConvertible {
    case notInstalled(String)
    case toolFailed(String, String)
    case didNotStart(String, String)
    case noSuchFeature(String)

    package var description: String {
        switch self {
        case .notInstalled(let program): "\(program) is not installed; scripts/setup tests installs what the tests need"
        case .toolFailed(let program, let output): "\(program) failed: \(output)"
        case .didNotStart(let program, let output): "\(program) did not start: \(output)"
        case .noSuchFeature(let feature): "this server cannot do it: \(feature)"
        }
    }
}

/// nginx or lighttpd on a free loopback port, with a configuration, files and log of its own.
///
/// The same files are served beneath every ``Place``, so a test chooses a server's behaviour by the path it asks for.
package final class RealServer: Sendable {
    package enum Kind: String, CaseIterable, Sendable { case nginx, lighttpd }
    package enum Scheme: String, CaseIterable, Sendable { case http, https }

    /// A path beneath which the server behaves in one particular way.
    package struct Place: Hashable, Sendable {
        package var name: String
        /// What one connection gets, in bytes per second.
        package var bytesPerSecond: Int?
        /// How many connections at once; nginx answers 503 to one more.
        package var connections: Int?
        package var ranges = true
        /// Compress for those who accept it.
        package var compression = false

        package init(_ name: String) { self.name = name }

        /// 512 KiB/s for each connection.
        package static var slow: Place { slow(bytesPerSecond: 512 << 10) }

        package static func slow(bytesPerSecond: Int) -> Place {
            var place = Place("slow")
            place.bytesPerSecond = bytesPerSecond
            return place
        }

        /// One connection at a time, and slow enough for a client to want a second.
        package static var single: Place {
            var place = Place("single")
            place.connections = 1
            place.bytesPerSecond = 1 << 20
            return place
        }

        package static var rangeless: Place {
            var place = Place("rangeless")
            place.ranges = false
            return place
        }

        package static var compressed: Place {
            var place = Place("compressed")
            place.compression = true
            return place
        }

        package static var plain: Place { Place("plain") }
    }

    /// One line of the access log.
    package struct Request: Hashable, Sendable {
        package let status: Int
        /// Handed to the kernel, so a client that went away may not have read all of them.
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
    private let places: [Place]
    private let authority: CertificateAuthority?
    private let asksForCertificates: Bool
    private let directory: TemporaryDirectory
    private let process = Locked<Subprocess?>(nil)

    /// - Parameter asksForCertificates: over HTTPS, and answers 400 to a client that has none of the same authority.
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
        try Files.makeDirectory(directory.file("files"))
        try Files.write(try configuration().utf8, to: directory.file("configuration"))
    }

    package func start() async throws {
        let program = kind.rawValue
        let process =
            switch kind {
            case .nginx:
                try Subprocess(
                    program, ["-p", directory.path, "-c", directory.file("configuration"), "-e", directory.file("errors")]
                )
            case .lighttpd: try Subprocess(program, ["-D", "-f", directory.file("configuration")])
            }
        let deadline = ContinuousClock.now + .seconds(10)
        while !Self.answers(on: port) {
            guard process.running(), ContinuousClock.now < deadline else {
                throw ServerError.didNotStart(program, process.standardError + ((try? Files.text(directory.file("errors"))) ?? ""))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        self.process.withLock { $0 = process }
    }

    /// At once: connections that are open are cut off.
    package func stop() async throws {
        let process = self.process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let process else { return }
        // lighttpd on SIGTERM, nginx too; both write what is left of their log.
        process.terminate()
        _ = try await process.wait(timeout: .seconds(10))
    }

    package func url(_ file: String, in place: Place = .plain) -> String {
        "\(scheme.rawValue)://127.0.0.1:\(port)/\(place.name)/\(file)"
    }

    /// Puts a file there in one step: a request under way keeps the old one. It was last changed in 2020, unless told otherwise, so
    /// that its validators are not young.
    package func put(_ content: some Collection<UInt8>, at name: String, modified: Int64 = 1_577_836_800) throws {
        let path = directory.file("files/\(name)")
        try Files.write(content, to: path + ".new")
        try Files.setModified(path + ".new", secondsSinceEpoch: modified)
        try Files.rename(path + ".new", to: path)
    }

    /// Stops the server, since a log is whole only then, and reads it.
    package func stopAndReadLog() async throws -> [Request] {
        try await stop()
        guard Files.exists(directory.file("access")) else { return [] }
        return try Files.text(directory.file("access")).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count == 6 else { return nil }
            return Request(
                status: Int(fields[0]) ?? 0, bodyBytes: Int64(fields[1]) ?? 0,
                range: fields[2] == "-" ? nil : fields[2], method: fields[3], path: fields[4],
                run: fields[5] == "-" ? nil : fields[5]
            )
        }
    }

    // MARK: Configuration

    private func configuration() throws -> String {
        switch kind {
        case .nginx: nginxConfiguration()
        case .lighttpd: try lighttpdConfiguration()
        }
    }

    private func nginxConfiguration() -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(directory.path)/t;" }
        let clients = authority.map { "ssl_client_certificate \($0.certificate); ssl_verify_client on;" } ?? ""
        let tls = authority.map { "ssl_certificate \($0.serverCertificate); ssl_certificate_key \($0.serverKey);" } ?? ""
        return """
            daemon off;
            master_process off;
            pid \(directory.file("pid"));
            error_log \(directory.file("errors"));
            events { worker_connections 256; }
            http {
                \(temporary.joined(separator: " "))
                log_format counted "$status $body_bytes_sent $http_range $request_method $request_uri $http_x_run";
                access_log \(directory.file("access")) counted;
                default_type application/octet-stream;
                types { text/plain txt; }
                limit_conn_zone $server_name zone=one:1m;
                \(tls)
                \(asksForCertificates ? clients : "")
                server {
                    listen 127.0.0.1:\(port)\(scheme == .https ? " ssl" : "");
                    \(places.map(nginxLocation).joined(separator: "\n"))
                }
            }

            """
    }

    private func nginxLocation(_ place: Place) -> String {
        var lines = ["alias \(directory.file("files"))/;"]
        if let rate = place.bytesPerSecond { lines.append("limit_rate \(rate);") }
        if let count = place.connections { lines.append("limit_conn one \(count);") }
        if !place.ranges { lines.append("max_ranges 0;") }
        if place.compression { lines.append("gzip on; gzip_types *; gzip_min_length 1;") }
        return "location /\(place.name)/ { \(lines.joined(separator: " ")) }"
    }

    private func lighttpdConfiguration() throws -> String {
        let tls = authority.map {
            """
            server.modules += ("mod_openssl")
            ssl.engine = "enable"
            ssl.pemfile = "\($0.serverCertificate)"
            ssl.privkey = "\($0.serverKey)"
            """
                + (asksForCertificates ? "\nssl.verifyclient.activate = \"enable\"\nssl.verifyclient.enforce = \"enable\"\nssl.ca-file = \"\($0.certificate)\"" : "")
        }
        // Without a type it sends neither ETag nor Last-Modified; with the stat cache on, a replaced file has its old validators.
        return """
            server.modules = ("mod_alias", "mod_accesslog")
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.document-root = "\(directory.file("files"))"
            server.errorlog = "\(directory.file("errors"))"
            server.stat-cache-engine = "disable"
            mimetype.assign = (".txt" => "text/plain", "" => "application/octet-stream")
            accesslog.filename = "\(directory.file("access"))"
            accesslog.format = "%s %b %{Range}i %m %U %{X-Run}i"
            \(scheme == .https ? tls ?? "" : "")
            \(try places.map(lighttpdPlace).joined(separator: "\n"))

            """
    }

    private func lighttpdPlace(_ place: Place) throws -> String {
        if place.connections != nil { throw ServerError.noSuchFeature("a limit of connections with lighttpd") }
        if place.compression { throw ServerError.noSuchFeature("compression with lighttpd, which needs one more package") }
        var lines = ["alias.url = (\"/\(place.name)/\" => \"\(directory.file("files"))/\")"]
        if let rate = place.bytesPerSecond { lines.append("connection.kbytes-per-second = \(max(1, rate >> 10))") }
        if !place.ranges { lines.append("server.range-requests = \"disable\"") }
        return "$HTTP[\"url\"] =~ \"^/\(place.name)/\" {\n\(lines.joined(separator: "\n"))\n}"
    }

    // MARK: Ports

    static func freePort() throws -> UInt16 {
        try withSocket { descriptor, address, length in
            guard bind(descriptor, address, length) == 0 else { throw SystemCallError("bind", "127.0.0.1") }
            var bound = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutableBytes(of: &bound) {
                getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
            }
            guard result == 0 else { throw SystemCallError("getsockname", "127.0.0.1") }
            return UInt16(bigEndian: bound.sin_port)
        }
    }

    static func answers(on port: UInt16) -> Bool {
        (try? withSocket(port: port) { connect($0, $1, $2) == 0 }) ?? false
    }

    private static func withSocket<Result>(
        port: UInt16 = 0, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SystemCallError("socket", "127.0.0.1") }
        defer { _ = close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return try withUnsafeBytes(of: &address) {
            try body(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }
}
