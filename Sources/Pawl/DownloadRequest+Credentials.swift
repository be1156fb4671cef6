import PawlCore

extension DownloadRequest {
    /// Who asks.
    func addCaller(to settings: inout DownloadSettings) throws(DownloadError) {
        if let credentials {
            if let problem = credentials.problem { throw .argument(problem) }
            guard bearerToken == nil else { throw .argument("A name and password and a bearer token exclude each other: give one of them.") }
            settings.credentials = credentials
        }
        if let bearerToken {
            guard let token = BearerToken(bearerToken) else {
                throw .argument("A bearer token is one word of visible ASCII characters: this one is empty, or has a blank or a line break in it.")
            }
            settings.bearerToken = token
        }
        if let userAgent {
            guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .argument("The user agent has control characters in it.")
            }
            settings.userAgent = userAgent
        }
        if let referer {
            // A fragment is not part of what a URL here holds.
            var page = try HTTPURL.checked(referer)
            page.userinfo = nil
            settings.referer = page
        }
    }
}
