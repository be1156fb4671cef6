import PawlCore

extension DownloadRequest {
    /// Adds the request's credentials, user agent and referer to a template.
    func addCaller(to template: inout DownloadSettings.Template) throws(DownloadError) {
        switch authentication {
        case .password(let credentials):
            if let problem = credentials.problem { throw .argument(problem) }
            template.credentials = credentials
        case .bearer(let text):
            guard let token = BearerToken(text) else {
                throw .argument(
                    "A bearer token is one word of visible ASCII characters: this one is empty or contains a space or a line break."
                )
            }
            template.bearerToken = token
        case nil: break
        }
        if let userAgent {
            guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .argument("The user agent contains control characters.")
            }
            template.userAgent = userAgent
        }
        if let referer {
            // A fragment is not part of what a URL here holds.
            var page = try HTTPURL.checked(referer)
            page.userinfo = nil
            template.referer = page
        }
    }
}
