import Logging
import Pawl
import PawlConfiguration
import PawlCore
import PawlJobs
import PawlServer
import PawlSystem

extension ServiceOptions {
    /// Returns the configuration. Nothing is created or opened yet, but the files of the certificate are read.
    ///
    /// - Throws: for what cannot be meant.
    func configuration() throws(ConfigurationError) -> ServiceServer.Configuration {
        let (home, state) = try (Places.home, Places.state)
        let directory = try Self.expanded(directory ?? home + "/Downloads")
        var configuration = ServiceServer.Configuration(
            stateDirectory: state, directory: directory, version: ProgramVersion.text)
        for path in roots { configuration.roots.append(try Self.expanded(path)) }
        configuration.socket = try Self.expanded(socket ?? (Places.runtime ?? state) + "/pawl.sock")
        configuration.certificate = try certificate()
        configuration.addresses = try addresses()
        configuration.hosts = hosts
        configuration.allowedOrigins = try allowedOrigins.map { (origin) throws(ConfigurationError) in
            do throws(DownloadError) { return try AllowedOrigin.checked(origin) } catch {
                throw ConfigurationError(error.message, about: "allow_origin")
            }
        }
        if let publicURL {
            guard let url = try? HTTPURL(parsing: publicURL) else {
                throw ConfigurationError("“\(publicURL)” is not an http or https URL.", about: "public_url")
            }
            configuration.publicOrigin = "\(url.scheme)://\(url.authority)"
            // It becomes an attribute of a cookie, which a semicolon would end (RFC 6265 §4.1.1).
            guard !url.path.utf8.contains(UInt8(ascii: ";")) else {
                throw ConfigurationError("The path of “\(publicURL)” must not contain “;”.", about: "public_url")
            }
            configuration.publicPath = url.path + (url.path.utf8.last == UInt8(ascii: "/") ? "" : "/")
        }
        if let onComplete {
            guard let words = ShellWords.split(onComplete), words.first?.isEmpty == false else {
                throw ConfigurationError(
                    "It must be a program and its arguments, with every quote closed.", about: "on_complete")
            }
            configuration.hook = words
        }
        configuration.manager.storesSecrets = keepsSecrets && !forgetsSecrets
        configuration.manager.downloader.deniesPrivateAddresses = deniesPrivateAddresses
        configuration.manager.downloader.certificateAuthorityFile = caCertificate
        configuration.manager.downloader.authorityVariables = AuthorityVariables(Environment.value)
        configuration.manager.downloader.bindAddress = bindAddress
        configuration.manager.downloader.proxies = try proxies()
        do throws(DownloadError) {
            try ServiceServer.check(configuration, makesDirectory: self.directory == nil)
        } catch {
            throw ConfigurationError(error.message)
        }
        return configuration
    }

    func level() throws(ConfigurationError) -> Logger.Level {
        guard let level = Logger.Level(rawValue: logLevel) else {
            throw ConfigurationError(
                "“\(logLevel)” is not a level: use trace, debug, info, notice, warning, error or critical.",
                about: "log_level")
        }
        return level
    }

    private static func expanded(_ path: String) throws(ConfigurationError) -> String {
        guard path.utf8.first == UInt8(ascii: "~") else { return path }
        guard path.utf8.count == 1 || path.utf8.dropFirst().first == UInt8(ascii: "/") else {
            throw ConfigurationError("“\(path)”: “~” is only understood as “~/”, your own home directory.")
        }
        return try Places.home + String(Substring(path.utf8.dropFirst()))
    }

    private func certificate() throws(ConfigurationError) -> ServerCertificate? {
        guard let tlsCertificate else {
            guard tlsKey == nil else { throw ConfigurationError("tls_key requires tls_certificate.", about: "tls_key") }
            return nil
        }
        let (certificate, key) = try (
            Self.expanded(tlsCertificate), tlsKey.map { (path) throws(ConfigurationError) in try Self.expanded(path) }
        )
        do throws(DownloadError) {
            return try ServerCertificate(certificate, key: key)
        } catch {
            throw ConfigurationError(error.message, about: "tls_certificate")
        }
    }

    private func addresses() throws(ConfigurationError) -> [ServiceServer.Address] {
        guard (1...65535).contains(port) else {
            throw ConfigurationError("\(port) is not between 1 and 65535.", about: "port")
        }
        guard !listen.isEmpty else {
            let loopback = ["127.0.0.1", "::1"].map { ServiceServer.Address(host: $0, port: port) }
            let existing = loopback.filter(\.exists)
            return existing.isEmpty ? loopback : existing
        }
        var addresses: [ServiceServer.Address] = []
        for text in listen {
            guard let url = try? HTTPURL(parsing: "http://\(text)/") else {
                throw ConfigurationError("“\(text)” is not an address.", about: "listen")
            }
            let host = url.host.utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
            let hasPort =
                text.utf8.last != UInt8(ascii: "]") && text.utf8.last(where: { $0 == UInt8(ascii: ":") }) != nil
            let address = ServiceServer.Address(
                host: String(decoding: Array(host), as: UTF8.self), port: hasPort ? url.port ?? port : port)
            guard address.isLoopback || plainHTTP || tlsCertificate != nil else {
                throw ConfigurationError(
                    "\(text) is reachable from other machines, and nothing would be encrypted. Set tls_certificate and tls_key, use a reverse proxy, or set plain_http on a network that you trust.",
                    about: "listen")
            }
            addresses.append(address)
        }
        return addresses
    }

    private func proxies() throws(ConfigurationError) -> ProxySettings {
        var settings: ProxySettings
        do throws(ProxyParseError) {
            settings =
                if let proxy { try ProxySettings(proxy) } else { ProxySettings(variables: Environment.value) }
        } catch {
            throw ConfigurationError(error.message, about: "proxy")
        }
        settings.except(noProxy ?? ProxySettings.exceptions(variables: Environment.value))
        return settings
    }
}
