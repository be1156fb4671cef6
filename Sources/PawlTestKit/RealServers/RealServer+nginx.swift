extension RealServer {
    func nginxConfiguration() throws -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(home)/t;" }
        let clients = authority.map { "ssl_client_certificate \($0.certificate); ssl_verify_client on;" } ?? ""
        let tls =
            authority.map { "ssl_certificate \($0.serverCertificate); ssl_certificate_key \($0.serverKey);" } ?? ""
        return """
            daemon off;
            master_process off;
            pid \(home)/pid;
            error_log \(errorLog);
            events { worker_connections 256; }
            http {
                \(temporary.joined(separator: " "))
                log_format counted "$status $body_bytes_sent $http_range $request_method $request_uri $http_x_run";
                access_log \(accessLog) counted;
                default_type application/octet-stream;
                types { text/plain txt; }
                \(tls)
                \(asksForCertificates ? clients : "")
                server {
                    listen 127.0.0.1:\(port)\(scheme == .https ? " ssl" : "");
                    \(try places.map(nginxLocation).joined(separator: "\n"))
                    location /\(Login.gate)/ {
                        add_header Set-Cookie "\(Login.cookie); Path=/; HttpOnly";
                        rewrite ^/\(Login.gate)(/.*)$ $1 redirect;
                    }
                }
            }

            """
    }

    private func nginxLocation(_ place: Place) throws -> String {
        var lines = [
            place.proxies.map { "proxy_pass \(scheme.rawValue)://127.0.0.1:\(port)/\($0)/;" } ?? "alias \(files)/;"
        ]
        if place.proxies != nil { lines.append("proxy_buffering off;") }
        if let rate = place.bytesPerSecond { lines.append("limit_rate \(rate);") }
        if !place.ranges { lines.append("max_ranges 0;") }
        if place.compression { lines.append("gzip on; gzip_types *; gzip_min_length 1;") }
        if let link = place.link { lines.append("add_header Link \"\(link)\";") }
        switch place.access {
        case .everyone: break
        case .basic: lines.append("auth_basic \(Login.realm); auth_basic_user_file \(passwords);")
        case .digest: throw ServerError.noSuchFeature("Digest with nginx")
        case .bearer:
            lines.append("add_header WWW-Authenticate 'Bearer realm=\"\(Login.realm)\"' always;")
            lines.append("if ($http_authorization != \"Bearer \(Login.token)\") { return 401; }")
        case .cookie:
            lines.append("if ($http_cookie !~ \"\(Login.cookie)\") { return 302 /\(Login.gate)$request_uri; }")
        }
        return "location /\(place.name)/ { \(lines.joined(separator: " ")) }"
    }
}
