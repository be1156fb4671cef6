import ArgumentParser
import PawlConfiguration

/// What the service is told by arguments, environment variables or its configuration file: the names are the same in each.
struct ServiceOptions: ParsableArguments {
    @Option(help: "The port on loopback, and on each address that names none.")
    var port = 6871

    @Option(help: ArgumentHelp("Listen on this address instead of loopback: IPv4, or IPv6 in brackets, with or without a port.", valueName: "address"))
    var listen: [String] = []

    @Option(help: ArgumentHelp("Speak HTTPS with this certificate (PEM, with those between it and the root).", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The key of the certificate (PEM, not encrypted).", valueName: "file"))
    var tlsKey: String?

    @Flag(inversion: .prefixedNo, help: "Allow addresses other than loopback although nothing is encrypted.")
    var plainHttp = false

    @Option(help: ArgumentHelp("Where downloads go whose job names no directory. Default: Downloads in the home directory.", valueName: "dir"))
    var directory: String?

    @Option(help: ArgumentHelp("Downloads go beneath this directory, whatever a request says; may be repeated. Default: that of --directory.", valueName: "dir"))
    var root: [String] = []

    @Option(help: ArgumentHelp("The unix socket. Default: pawl/pawl.sock in XDG_RUNTIME_DIR.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The address of the page behind a reverse proxy.", valueName: "url"))
    var publicUrl: String?

    @Option(help: ArgumentHelp("A name that this machine is reached by, besides its addresses; may be repeated.", valueName: "name"))
    var host: [String] = []

    @Option(help: ArgumentHelp("Scripts of this origin may use the API with the token; may be repeated.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(inversion: .prefixedNo, help: "Ask no server at a loopback, private or link-local address, also after a redirect.")
    var denyPrivateAddresses = false

    @Flag(inversion: .prefixedNo, help: "Keep passwords, header fields and tokens of downloads in the database, so that they survive a restart.")
    var keepSecrets = false

    @Option(help: ArgumentHelp("Run a program after each download that has completed or failed (docs/hooks.md). No shell.", valueName: "command"))
    var onComplete: String?

    @Option(help: ArgumentHelp("Download through this proxy; '' for none. Default: $http_proxy, $https_proxy, $all_proxy.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("Download from these hosts without the proxy. Default: $no_proxy.", valueName: "list"))
    var noProxy: String?

    @Option(help: ArgumentHelp("Trust the certificates of these authorities only (PEM) when downloading.", valueName: "file"))
    var caCertificate: String?

    @Option(help: ArgumentHelp("Download from this address of the machine, or this network interface.", valueName: "address"))
    var bindAddress: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel = "info"
}

extension ServiceOptions {
    /// The options, all of which can stand in the configuration file and in the environment.
    static let schema = ConfigurationSchema(
        keys: Mirror(reflecting: ServiceOptions()).children.compactMap { child in
            guard let label = child.label, label.utf8.first == UInt8(ascii: "_") else { return nil }
            let name = label.dropFirst().map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
            let negated = ConfigurationKey.flag(of: "no_" + name)
            return ConfigurationKey(name, child.value is Flag<Bool> ? .flag(negated: negated) : child.value is Option<[String]> ? .list : .value)
        },
        variablePrefix: "PAWLD_", whereKeysAre: "pawld --help names them; here they have underscores."
    ) { arguments in
        do {
            _ = try parse(arguments)
            return nil
        } catch {
            return message(for: error)
        }
    }
}
