import PawlCore
package import PawlOptions

/// The options of the service. Arguments, environment variables and the configuration file set them by the same names.
package struct ServiceOptions: Sendable {
    package var port = 6871
    package var listen: [String] = []
    package var tlsCertificate: String?
    package var tlsKey: String?
    package var plainHTTP = false
    package var directory: String?
    package var roots: [String] = []
    package var socket: String?
    package var publicURL: String?
    package var hosts: [String] = []
    package var allowedOrigins: [String] = []
    package var deniesPrivateAddresses = false
    package var forgetsSecrets = false
    package var keepsSecrets = true
    package var onComplete: String?
    package var proxy: String?
    package var noProxy: String?
    package var caCertificate: String?
    package var bindAddress: String?
    package var logLevel = "info"

    package init() {}
}

extension ServiceOptions {
    package static let declaration: [OptionDeclaration<ServiceOptions>] = [
        .init("port", .value("port"), initial: "6871", help: "Port on loopback, and on addresses without a port.") {
            (options, text) throws(OptionValueProblem) in
            guard let port = Int(text) else { throw OptionValueProblem(accepted: "a port from 1 to 65535") }
            options.port = port
        },
        .texts(
            "listen", "address", \.listen,
            help:
                "Listen on this address instead of loopback: IPv4, or IPv6 in brackets, optionally with a port. May be repeated."
        ),
        .text(
            "tls-certificate", "file", \.tlsCertificate, help: "Serve HTTPS with this certificate chain (PEM)."),
        .text("tls-key", "file", \.tlsKey, help: "Private key of the certificate (PEM, unencrypted)."),
        .negatable("plain-http", \.plainHTTP, help: "Allow addresses other than loopback without encryption."),
        .text("directory", "dir", \.directory, help: "Directory for downloads that name none. Default: ~/Downloads."),
        .texts(
            "root", "dir", \.roots,
            help:
                "Only store downloads beneath this directory, whatever a request says. May be repeated. Default: that of --directory."
        ),
        .text(
            "socket", "path", \.socket, help: "Path of the Unix socket. Default: pawl/pawl.sock in $XDG_RUNTIME_DIR."),
        .text("public-url", "url", \.publicURL, help: "URL of the page behind a reverse proxy."),
        .texts(
            "host", "name", \.hosts,
            help: "Accept requests for this host name, besides the machine's addresses. May be repeated."),
        .texts(
            "allow-origin", "origin", \.allowedOrigins,
            help: "Allow scripts of this origin to use the API with the token. May be repeated."),
        .negatable(
            "deny-private-addresses", \.deniesPrivateAddresses,
            help: "Never connect to servers at loopback, private or link-local addresses, not even after a redirect."),
        .negatable(
            "forget-secrets", \.forgetsSecrets,
            help:
                "Keep passwords, cookies, tokens and signed links of downloads in memory only. A download that needs them waits after a restart until they are given again. Otherwise the database keeps them until the download is completed."
        ),
        // The default, for those who want to say so.
        .init("keep-secrets", initial: "--keep-secrets", help: "", isNegatable: true) { (options, text) in
            options.keepsSecrets = text.isExactly("true")
        },
        .text(
            "on-complete", "command", \.onComplete,
            help: "Run this program, without a shell, after each download that completes or fails (docs/hooks.md)."),
        .text(
            "proxy", "url", \.proxy,
            help: "Use this proxy; '' for none. Default: $http_proxy, $https_proxy, $all_proxy."),
        .text("no-proxy", "list", \.noProxy, help: "Connect to these hosts directly. Default: $no_proxy."),
        .text(
            "ca-certificate", "file", \.caCertificate,
            help: "Trust the certificate authorities in this PEM file instead of the system's."),
        .text(
            "bind-address", "address", \.bindAddress,
            help: "Connect from this local address or network interface."),
        .init(
            "log-level", .value("level"), initial: "info",
            help: "How much is logged: trace, debug, info, notice, warning, error or critical."
        ) { $0.logLevel = $1 },
    ]
}

extension OptionDeclaration<ServiceOptions> {
    fileprivate static func negatable(
        _ name: String, _ path: any WritableKeyPath<ServiceOptions, Bool> & Sendable, help: String
    ) -> Self {
        Self(name, initial: "--no-" + name, help: help, isNegatable: true) { (options, text) in
            options[keyPath: path] = text.isExactly("true")
        }
    }
}

extension ServiceOptions {
    /// The service's part of the configuration file.
    ///
    /// - Parameter defaults: the keys of `[get]` that the caller knows.
    package static func schema(besides defaults: [ConfigurationKey]) -> ConfigurationSchema {
        ConfigurationSchema(
            table: .service, keys: keys, others: defaults, variablePrefix: "PAWLD_",
            whereKeysAre:
                "“pawld --help” lists the options; their names have underscores here. Options of pawl get go below a line [get]."
        ) { arguments in
            var options = Self()
            do throws(CommandLineProblem) {
                _ = try CommandLineReader(declaration).read(arguments, into: &options)
                return nil
            } catch {
                return error.message
            }
        }
    }

    package static let keys = declaration.map { ConfigurationKey($0) }

    /// The keys that both programs have, each in its own table.
    package static let sharedKeys = keys.filter { shared.containsExactly($0.name) }

    private static let shared = [
        "directory", "on_complete", "proxy", "no_proxy", "ca_certificate", "bind_address",
    ]
}
