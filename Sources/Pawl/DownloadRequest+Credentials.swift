import PawlCore

extension DownloadRequest {
    /// Who asks, and how long that may take.
    func addRequestOptions(to settings: inout DownloadSettings) throws(DownloadError) {
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
        settings.allowsOnlyDigest = allowsOnlyDigest
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
        try addTimes(to: &settings)
        settings.keepsRemoteTime = keepsRemoteTime
        settings.recordsOrigin = recordsOrigin
    }

    private func addTimes(to settings: inout DownloadSettings) throws(DownloadError) {
        for (name, time) in [("stall", stallTimeout), ("response", responseTimeout), ("whole", maximumTime ?? .seconds(1))] {
            guard time > .zero else { throw .argument("The time allowed (\(name)) must be more than zero.") }
        }
        settings.stallTimeout = stallTimeout
        settings.headTimeout = responseTimeout
        settings.maximumTime = maximumTime
    }
}
