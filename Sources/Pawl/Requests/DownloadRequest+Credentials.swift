import PawlCore

extension DownloadRequest {
    /// Adds the request's credentials, user agent and referer to the settings.
    func addCaller(to settings: inout DownloadSettings) throws(DownloadError) {
        switch authentication {
        case .password(let credentials):
            if let problem = credentials.problem { throw .argument(problem) }
            settings.credentials = credentials
        case .bearer(let text):
            guard let token = BearerToken(text) else {
                throw .argument(
                    "A bearer token is one word of visible ASCII characters: this one is empty or contains a space or a line break."
                )
            }
            settings.bearerToken = token
        case nil: break
        }
        if let userAgent {
            guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .argument("The user agent contains control characters.")
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
