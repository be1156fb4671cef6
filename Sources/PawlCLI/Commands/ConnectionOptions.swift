import Pawl
import PawlJobs
import PawlOptions
import PawlSystem

/// The options about network access: proxies, addresses, TLS.
struct ConnectionOptions: Sendable {
    var proxy: String?
    var noProxy: String?
    var connectTimeout: Duration?
    var bindAddress: String?
    var ipv4Only = false
    var ipv6Only = false
    var certificate: String?
    var privateKey: String?
    var insecure = false

    static let options = OptionDeclaration<Self>.without(
        .lists, because: .wholeRun,
        [
            .text(
                "proxy", "URL", \.proxy,
                help:
                    "Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; '' for none. Default: $http_proxy, $https_proxy, $all_proxy."
            ),
            .text(
                "no-proxy", "list", \.noProxy,
                help:
                    "Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or '*' for all. Default: $no_proxy."
            ),
            .value("connect-timeout", "seconds", \.connectTimeout, help: "Maximum time to connect. (default: 30)") {
                (text) throws(OptionValueProblem) in
                // Comparisons with what is not a number are false.
                guard let value = Double(text), value >= 0.001, value <= 86_400 else {
                    throw OptionValueProblem(accepted: "a number of seconds, more than 0 and at most a day")
                }
                return Duration.seconds(value)
            },
            .text(
                "bind-address", "address", \.bindAddress,
                help: "Connect from this local address or network interface."),
            .flag("ipv4-only", letter: "4", \.ipv4Only, help: "Use IPv4 addresses only."),
            .flag("ipv6-only", letter: "6", \.ipv6Only, help: "Use IPv6 addresses only."),
            .text(
                "certificate", "file", \.certificate, help: "Client certificate (PEM) for servers that request one.",
                completion: .file),
            .text(
                "private-key", "file", \.privateKey,
                help: "Private key of the certificate (PEM, not encrypted), if it is in another file.",
                completion: .file),
            .flag(
                "insecure", \.insecure,
                help: "Accept any certificate. Anyone on the network path can then read and change the data."
            )
            .without(.configuration, because: .safety),
        ])

    func apply(to configuration: inout Downloader.Configuration) throws(UsageError) {
        configuration.proxies = try proxies(environment: Environment.value)
        if let connectTimeout { configuration.connectTimeout = connectTimeout }
        configuration.bindAddress = bindAddress
        guard !(ipv4Only && ipv6Only) else {
            throw UsageError("-4 and -6 exclude each other; without them both kinds are used.")
        }
        configuration.addressFamily = ipv4Only ? .ipv4 : ipv6Only ? .ipv6 : .any
        configuration.clientCertificateFile = certificate
        configuration.privateKeyFile = privateKey
        configuration.verifiesCertificates = !insecure
    }

    /// Returns the proxies from the arguments or, without them, from the environment.
    func proxies(environment: (String) -> String?) throws(UsageError) -> ProxySettings {
        var settings = ProxySettings()
        do throws(ProxyParseError) {
            if let proxy { settings = try ProxySettings(proxy) }
        } catch {
            throw UsageError("--proxy: \(error.message)")
        }
        if proxy == nil { settings = ProxySettings(variables: environment) }
        settings.except(noProxy ?? ProxySettings.exceptions(variables: environment))
        return settings
    }

    var warnings: [String] {
        insecure
            ? [
                "--insecure: certificates are not checked. Downloaded data may come from anyone; verify it with a checksum."
            ] : []
    }
}
