package import PawlCore

extension DownloadContext {
    /// Returns the same with the secret itself in place of where it is found.
    package func withSecrets(_ secrets: SecretReader) throws(DownloadError) -> DownloadContext {
        var context = self
        if let secret = authentication?.secret { context.authentication?.secret = .value(try secrets.text(of: secret)) }
        return context
    }
}

extension DownloadRequest {
    /// Returns the same with its secrets read, for what makes several requests of it: a pipe can be read only once.
    package func withSecrets() throws(DownloadError) -> DownloadRequest {
        var request = self
        request.context = try context.withSecrets(SecretReader())
        return request
    }
}

extension DownloadSettings.Template {
    /// Takes in who asks, checked.
    mutating func take(_ context: DownloadContext, _ secrets: SecretReader) throws(DownloadError) {
        callerFields = try context.headers.map { (field) throws(DownloadError) in try field.checked() }
        switch context.authentication {
        case .password(let name, let secret):
            let credentials = Credentials(name: name, password: try secrets.text(of: secret))
            if let problem = credentials.problem { throw .argument(problem) }
            self.credentials = credentials
        case .bearer(let secret):
            guard let token = BearerToken(try secrets.text(of: secret)) else {
                throw .argument(
                    "A bearer token is one word of visible ASCII characters: this one is empty or contains a space or a line break."
                )
            }
            bearerToken = token
        case nil: break
        }
        if let userAgent = context.userAgent {
            guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .argument("The user agent contains control characters.")
            }
            self.userAgent = userAgent
        }
        if let referer = context.referer {
            // A fragment is not part of what a URL here holds.
            var page = try HTTPURL.checked(referer)
            page.userinfo = nil
            self.referer = page
        }
    }
}

extension HTTPField {
    fileprivate func checked() throws(DownloadError) -> HTTPField {
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isTokenByte) else {
            throw .argument("“\(name)” is not a header name (RFC 9110 §5.1).")
        }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .argument("The value of the header “\(name)” contains control characters.")
        }
        guard !isReserved else {
            throw .argument("Pawl sets the \(name) header itself; leave it out.")
        }
        return self
    }
}
