import ArgumentParser
import Logging
import Pawl
import PawlCore
import PawlJobs
import PawlServer
import PawlSystem
import UnixSignals

@main
struct Pawld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pawld", abstract: "Downloads that go on without you: a service with an HTTP API and a page.",
        discussion: "It listens on a unix socket and on loopback. The page is at http://127.0.0.1:6871/; pawl token shows the token that it asks for.")

    @Option(help: "The port on loopback, and on each address that names none.")
    var port = 6871

    @Option(help: ArgumentHelp("Listen on this address instead of loopback: IPv4, or IPv6 in brackets, with or without a port.", valueName: "address"))
    var listen: [String] = []

    @Flag(help: "Allow addresses other than loopback although nothing is encrypted.")
    var plainHttp = false

    @Option(help: ArgumentHelp("Where downloads go whose job names no directory. Default: Downloads in the home directory.", valueName: "dir"))
    var directory: String?

    @Option(help: ArgumentHelp("Downloads go beneath this directory, whatever a request says; may be repeated. Default: that of --directory.", valueName: "dir"))
    var root: [String] = []

    @Option(help: ArgumentHelp("The unix socket. Default: pawl/pawl.sock in XDG_RUNTIME_DIR.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The address of the page behind a reverse proxy.", valueName: "url"))
    var publicUrl: String?

    @Option(help: ArgumentHelp("Scripts of this origin may use the API with the token; may be repeated.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(help: "Ask no server at a loopback, private or link-local address, also after a redirect.")
    var denyPrivateAddresses = false

    @Flag(help: "Keep passwords, header fields and tokens of downloads in the database, so that they survive a restart.")
    var keepSecrets = false

    @Flag(help: "Print a link that opens the page without the token, once and within a minute.")
    var open = false

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel = "info"

    func run() async throws {
        guard let level = Logger.Level(rawValue: logLevel) else { throw ValidationError("“\(logLevel)” is no log level.") }
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var logger = Logger(label: "pawld")
        logger.logLevel = level
        let configuration = try configuration()
        do {
            let server = try ServiceServer(configuration, logger)
            try await serve(server, configuration, logger)
        } catch let error as DownloadError {
            logger.critical("\(error.message)")
            throw ExitCode(1)
        }
    }

    private func serve(_ server: ServiceServer, _ configuration: ServiceServer.Configuration, _ logger: Logger) async throws {
        let addresses = configuration.addresses
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await server.run { [open] in
                    for address in addresses { logger.notice("listening", metadata: ["address": "\(address.authority)"]) }
                    if let socket = configuration.socket { logger.notice("listening", metadata: ["socket": "\(socket)"]) }
                    if let first = addresses.first, open {
                        print("http://\(first.authority)/api/v1/login/\(server.access.makeTicket())")
                        // Also into a pipe or a file, at once.
                        fflush(nil)
                    }
                    ServiceNotification.send("READY=1")
                }
            }
            group.addTask {
                for await _ in signals { break }
                ServiceNotification.send("STOPPING=1")
            }
            defer { group.cancelAll() }
            // A signal, or a socket that could not be opened.
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    // MARK: Where things are

    private func configuration() throws -> ServiceServer.Configuration {
        guard let home = Environment.value("HOME") else { throw ValidationError("HOME is not set.") }
        let state = try Self.privateDirectory((Self.absolute("XDG_STATE_HOME") ?? home + "/.local/state") + "/pawl")
        let directory = try directory ?? Self.existing(home + "/Downloads")
        var configuration = ServiceServer.Configuration(stateDirectory: state, directory: directory, version: ProgramVersion.text)
        configuration.roots = root
        configuration.socket = try socket ?? Self.privateDirectory(Self.absolute("XDG_RUNTIME_DIR").map { $0 + "/pawl" } ?? state) + "/pawl.sock"
        configuration.addresses = try addresses()
        configuration.allowedOrigins = allowOrigin
        configuration.publicOrigin = try publicUrl.map { text in
            guard let url = try? HTTPURL(parsing: text) else { throw ValidationError("“\(text)” is no http or https URL.") }
            return "\(url.scheme)://\(url.authority)"
        }
        configuration.manager.storesSecrets = keepSecrets
        configuration.manager.downloader.deniesPrivateAddresses = denyPrivateAddresses
        return configuration
    }

    private func addresses() throws -> [ServiceServer.Address] {
        guard !listen.isEmpty else { return [.init(host: "127.0.0.1", port: port), .init(host: "::1", port: port)] }
        return try listen.map { text in
            guard let url = try? HTTPURL(parsing: "http://\(text)/") else { throw ValidationError("“\(text)” is no address.") }
            let host = url.host.utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
            let hasPort = text.utf8.last != UInt8(ascii: "]") && text.utf8.last(where: { $0 == UInt8(ascii: ":") }) != nil
            let address = ServiceServer.Address(host: String(decoding: Array(host), as: UTF8.self), port: hasPort ? url.port ?? port : port)
            guard address.isLoopback || plainHttp else {
                throw ValidationError(
                    "\(text) can be reached by others, and nothing would be encrypted. Use a reverse proxy with TLS, or --plain-http in a network that you trust.")
            }
            return address
        }
    }

    private static func absolute(_ variable: String) -> String? {
        guard let value = Environment.value(variable), value.utf8.first == UInt8(ascii: "/") else { return nil }
        return value
    }

    /// Made if it is not there; only its owner may enter it.
    private static func privateDirectory(_ path: String) throws -> String {
        var made = ""
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            made += "/" + String(decoding: Array(part), as: UTF8.self)
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || FileKind.isDirectory(made) else {
                throw ValidationError("“\(made)” cannot be created: \(SystemCalls.text(of: errno))")
            }
        }
        guard chmod(path, 0o700) == 0 else { throw ValidationError("“\(path)” cannot be kept from others: \(SystemCalls.text(of: errno))") }
        return path
    }

    private static func existing(_ path: String) throws -> String {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw ValidationError("“\(path)” cannot be created: \(SystemCalls.text(of: errno))") }
        return path
    }
}
