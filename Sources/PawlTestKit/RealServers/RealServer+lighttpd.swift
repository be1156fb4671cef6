import PawlCore

extension RealServer {
    func lighttpdConfiguration() throws -> String {
        let clients = authority.map {
            """
            ssl.verifyclient.activate = "enable"
            ssl.verifyclient.enforce = "enable"
            ssl.ca-file = "\($0.certificate)"
            """
        }
        let tls = authority.map {
            """
            server.modules += ("mod_openssl")
            ssl.engine = "enable"
            ssl.pemfile = "\($0.serverCertificate)"
            ssl.privkey = "\($0.serverKey)"
            \(asksForCertificates ? clients ?? "" : "")
            """
        }
        let accesses = places.map(\.access)
        // lighttpd takes only one password file for the whole server.
        let file =
            accesses.contains(.basic)
            ? "htpasswd.userfile = \"\(passwords)\"" : "htdigest.userfile = \"\(passwords(digestAlgorithm ?? .md5))\""
        let authentication =
            accesses.contains { $0 != .everyone }
            ? """
            server.modules += ("mod_auth", "mod_authn_file", "mod_access", "mod_setenv", "mod_redirect")
            auth.backend = "\(accesses.contains(.basic) ? "htpasswd" : "htdigest")"
            auth.backend.\(file)
            """ : ""
        // lighttpd sends neither ETag nor Last-Modified for a file without a type; with the stat cache on, a replaced
        // file keeps its old validators.
        return """
            server.modules = ("mod_alias", "mod_accesslog")
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.document-root = "\(files)"
            server.errorlog = "\(errorLog)"
            server.stat-cache-engine = "disable"
            mimetype.assign = (".txt" => "text/plain", "" => "application/octet-stream")
            accesslog.filename = "\(accessLog)"
            accesslog.format = "%s %b %{Range}i %m %U %{X-Run}i"
            \(scheme == .https ? tls ?? "" : "")
            \(authentication)
            \(try places.map(lighttpdPlace).joined(separator: "\n"))

            """
    }

    private var digestAlgorithm: DigestAlgorithm? {
        places.lazy.compactMap { if case .digest(let algorithm, _) = $0.access { algorithm } else { nil } }.first
    }

    private func lighttpdPlace(_ place: Place) throws -> String {
        if place.link != nil { throw ServerError.noSuchFeature("links with lighttpd") }
        if place.compression {
            throw ServerError.noSuchFeature("compression with lighttpd, which needs one more package")
        }
        var lines = ["alias.url = (\"/\(place.name)/\" => \"\(files)/\")"]
        if let rate = place.bytesPerSecond { lines.append("connection.kbytes-per-second = \(max(1, rate >> 10))") }
        if !place.ranges { lines.append("server.range-requests = \"disable\"") }
        lines += lighttpdAccess(place)
        return "$HTTP[\"url\"] =~ \"^/\(place.name)/\" {\n\(lines.joined(separator: "\n"))\n}"
            + (place.access == .cookie ? lighttpdGate : "")
    }

    private func lighttpdAccess(_ place: Place) -> [String] {
        let required = { (method: String) in
            "auth.require = (\"/\(place.name)/\" => (\"method\" => \"\(method)\", \"realm\" => \"\(Login.realm)\", \"require\" => \"valid-user\""
        }
        return switch place.access {
        case .everyone: []
        case .basic: [required("basic") + "))"]
        case .digest(let algorithm, _):
            [required("digest") + ", \"algorithm\" => \"\(algorithm == .sha256 ? "SHA-256" : "MD5")\"))"]
        case .bearer: ["$REQUEST_HEADER[\"Authorization\"] != \"Bearer \(Login.token)\" { url.access-deny = (\"\") }"]
        case .cookie:
            [
                "$HTTP[\"cookie\"] !~ \"\(Login.cookie)\" {\nurl.redirect = (\"^/(.*)\" => \"/\(Login.gate)/$1\")\nurl.redirect-code = 302\n}"
            ]
        }
    }

    private var lighttpdGate: String {
        """

        $HTTP["url"] =~ "^/\(Login.gate)/" {
            setenv.add-response-header = ("Set-Cookie" => "\(Login.cookie); Path=/; HttpOnly")
            url.redirect = ("^/\(Login.gate)/(.*)" => "/$1")
            url.redirect-code = 302
        }
        """
    }
}
