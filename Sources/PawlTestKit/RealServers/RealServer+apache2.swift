import PawlCore

extension RealServer {
    private static let modules = [
        "alias", "auth_basic", "auth_digest", "authn_core", "authn_file", "authz_core", "authz_user", "deflate", "env",
        "filter", "headers", "mime",
        "mpm_event", "ratelimit", "rewrite", "setenvif", "ssl",
    ]

    func apacheConfiguration() throws -> String {
        """
        \(Self.modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
        ServerRoot \(home)
        ServerName localhost
        DefaultRuntimeDir \(home)
        PidFile \(home)/pid
        ErrorLog \(errorLog)
        Listen 127.0.0.1:\(port)
        # It refuses to serve as root; whom it becomes instead owns nothing.
        User #65534
        Group #65534
        TypesConfig /dev/null
        AddType text/plain .txt
        LogFormat "%>s %B %{Range}i %m %U %{X-Run}i" counted
        CustomLog \(accessLog) counted
        <Directory \(files)>
            Require all granted
        </Directory>
        \(apacheTLS)
        \(try places.map(apachePlace).joined(separator: "\n"))

        """
    }

    private var apacheTLS: String {
        guard scheme == .https, let authority else { return "" }
        let clients =
            asksForCertificates ? "SSLCACertificateFile \(authority.certificate)\nSSLVerifyClient require" : ""
        return """
            SSLEngine on
            SSLSessionCache none
            SSLCertificateFile \(authority.serverCertificate)
            SSLCertificateKeyFile \(authority.serverKey)
            \(clients)
            """
    }

    private func apachePlace(_ place: Place) throws -> String {
        if place.link != nil { throw ServerError.noSuchFeature("links with apache2") }
        var lines: [String] = []
        if let rate = place.bytesPerSecond {
            lines.append("SetOutputFilter RATE_LIMIT\nSetEnv rate-limit \(max(1, rate >> 10))")
        }
        if !place.ranges { lines.append("MaxRanges none") }
        if place.compression { lines.append("SetOutputFilter DEFLATE") }
        lines += try apacheAccess(place)
        return
            "Alias /\(place.name)/ \(files)/\n<Location /\(place.name)/>\n\(lines.joined(separator: "\n"))\n</Location>"
            + (place.access == .cookie ? apacheGate(place) : "")
    }

    private func apacheAccess(_ place: Place) throws -> [String] {
        let name = "AuthName \(Login.realm)"
        switch place.access {
        case .everyone, .cookie: return []
        case .basic: return ["AuthType Basic", name, "AuthUserFile \(passwords)", "Require valid-user"]
        case .digest(let algorithm, let nonceSeconds):
            guard algorithm == .md5 else {
                throw ServerError.noSuchFeature("Digest by \(algorithm.rawValue) with Apache httpd")
            }
            return ["AuthType Digest", name, "AuthUserFile \(passwords(.md5))", "Require valid-user"]
                + (nonceSeconds.map { ["AuthDigestNonceLifetime \($0)"] } ?? [])
        case .bearer: return ["SetEnvIf Authorization \"^Bearer \(Login.token)$\" mayEnter", "Require env mayEnter"]
        }
    }

    private func apacheGate(_ place: Place) -> String {
        """

        RewriteEngine On
        RewriteCond %{HTTP_COOKIE} !\(Login.cookie)
        RewriteRule ^/\(place.name)/(.*)$ /\(Login.gate)/\(place.name)/$1 [R=302,L]
        RewriteRule ^/\(Login.gate)/(.*)$ /$1 [R=302,L]
        <Location /\(Login.gate)/>
            Header always set Set-Cookie "\(Login.cookie); Path=/; HttpOnly"
        </Location>
        """
    }
}
