import ArgumentParser
import Pawl
import PawlJobs
import PawlSystem

/// Network access: proxies, addresses, TLS. For every command that contacts a server.
struct ConnectionOptions: RequestOptions {
    @Option(
        help: ArgumentHelp(
            "Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; '' for none. Default: $http_proxy, $https_proxy, $all_proxy.",
            valueName: "URL"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or '*' for all. Default: $no_proxy.",
            valueName: "list"))
    var noProxy: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum time to connect. (default: 30)", valueName: "seconds"))
    var connectTimeout: String?

    @Option(help: ArgumentHelp("Connect from this local address or network interface.", valueName: "address"))
    var bindAddress: String?

    @Flag(name: [.customShort("4"), .long], help: "Use IPv4 addresses only.")
    var ipv4Only = false

    @Flag(name: [.customShort("6"), .long], help: "Use IPv6 addresses only.")
    var ipv6Only = false

    @Option(
        help: ArgumentHelp("Client certificate (PEM) for servers that request one.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp(
            "Private key of the certificate (PEM, not encrypted), if it is in another file.", valueName: "file"),
        completion: .file())
    var privateKey: String?

    @Flag(help: "Accept any certificate. Anyone on the network path can then read and change the data.")
    var insecure = false

    func apply(to configuration: inout Downloader.Configuration) throws(UsageError) {
        configuration.proxies = try proxies(environment: Environment.value)
        if let connectTimeout { configuration.connectTimeout = try Self.seconds(connectTimeout) }
        configuration.bindAddress = bindAddress
        guard !(ipv4Only && ipv6Only) else {
            throw UsageError("-4 and -6 exclude each other; without them both kinds are used.")
        }
        configuration.addressFamily = ipv4Only ? .ipv4 : ipv6Only ? .ipv6 : .any
        configuration.clientCertificateFile = certificate
        configuration.privateKeyFile = privateKey
        configuration.verifiesCertificates = !insecure
    }

    /// From the arguments or, without them, the environment.
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

    private static func seconds(_ text: String) throws(UsageError) -> Duration {
        // Comparisons with what is not a number are false.
        guard let value = Double(text), value >= 0.001, value <= 86_400 else {
            throw UsageError("--connect-timeout takes a number of seconds, more than 0 and at most a day.")
        }
        return .seconds(value)
    }

    var holdsSecrets: Bool { proxy?.utf8.contains(UInt8(ascii: "@")) == true }

    func warnings(reading files: NamedFiles) -> [String] {
        insecure
            ? [
                "--insecure: certificates are not checked. What is downloaded may come from anyone; compare it with a checksum."
            ] : []
    }
}
