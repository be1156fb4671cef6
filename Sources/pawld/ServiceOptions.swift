import ArgumentParser
import PawlConfiguration

/// What the service is told by arguments, environment variables or its configuration file: the names are the same in
/// each.
struct ServiceOptions: ParsableArguments {
    @Option(help: "Port on loopback, and on addresses without a port.")
    var port = 6871

    @Option(
        help: ArgumentHelp(
            "Listen on this address instead of loopback: IPv4, or IPv6 in brackets, optionally with a port. May be repeated.",
            valueName: "address"))
    var listen: [String] = []

    @Option(help: ArgumentHelp("Serve HTTPS with this certificate chain (PEM).", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("Private key of the certificate (PEM, unencrypted).", valueName: "file"))
    var tlsKey: String?

    @Flag(inversion: .prefixedNo, help: "Allow addresses other than loopback without encryption.")
    var plainHttp = false

    @Option(help: ArgumentHelp("Directory for downloads that name none. Default: ~/Downloads.", valueName: "dir"))
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "Only store downloads beneath this directory, whatever a request says. May be repeated. Default: that of --directory.",
            valueName: "dir"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp("Path of the Unix socket. Default: pawl/pawl.sock in $XDG_RUNTIME_DIR.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("URL of the page behind a reverse proxy.", valueName: "url"))
    var publicUrl: String?

    @Option(
        help: ArgumentHelp(
            "Accept requests for this host name, besides the machine's addresses. May be repeated.", valueName: "name"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "Allow scripts of this origin to use the API with the token. May be repeated.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Never connect to servers at loopback, private or link-local addresses, not even after a redirect.")
    var denyPrivateAddresses = false

    @Flag(
        inversion: .prefixedNo,
        help:
            "Keep passwords, cookies, tokens and signed links of downloads in memory only. A download that needs them waits after a restart until they are given again. Otherwise the database keeps them until the download is completed."
    )
    var forgetSecrets = false

    /// The default.
    @Flag(inversion: .prefixedNo, help: .hidden)
    var keepSecrets = true

    @Option(
        help: ArgumentHelp(
            "Run this program, without a shell, after each download that completes or fails (docs/hooks.md).",
            valueName: "command"))
    var onComplete: String?

    @Option(
        help: ArgumentHelp(
            "Use this proxy; '' for none. Default: $http_proxy, $https_proxy, $all_proxy.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("Connect to these hosts directly. Default: $no_proxy.", valueName: "list"))
    var noProxy: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities in this PEM file instead of the system's.", valueName: "file"))
    var caCertificate: String?

    @Option(help: ArgumentHelp("Connect from this local address or network interface.", valueName: "address"))
    var bindAddress: String?

    @Option(
        help: ArgumentHelp(
            "How much is logged: trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel = "info"
}

extension ServiceOptions {
    /// The options, all of which can stand in the configuration file and in the environment.
    static let schema = ConfigurationSchema(
        keys: Mirror(reflecting: ServiceOptions()).children.compactMap { child in
            guard let label = child.label, label.utf8.first == UInt8(ascii: "_") else { return nil }
            let name = label.dropFirst().map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
            let negated = ConfigurationKey.flag(of: "no_" + name)
            return ConfigurationKey(
                name,
                child.value is Flag<Bool> ? .flag(negated: negated) : child.value is Option<[String]> ? .list : .value)
        },
        variablePrefix: "PAWLD_", whereKeysAre: "“pawld --help” lists the options; their names have underscores here."
    ) { arguments in
        do {
            _ = try parse(arguments)
            return nil
        } catch {
            return message(for: error)
        }
    }
}
