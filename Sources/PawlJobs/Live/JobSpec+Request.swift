package import Pawl
package import PawlArchive
package import PawlCore

extension JobSpec {
    /// The URL of a job whose documents were read.
    var url: String {
        get throws(DownloadError) {
            if case .url(let url, _) = source { return url }
            throw DownloadError(.invalidArgument, "The job names a document and no URL.", recovery: .giveUp)
        }
    }

    /// The library's request for a job whose documents were read.
    package func request(_ secrets: SecretReader) throws(DownloadError) -> DownloadRequest {
        var request = DownloadRequest(try url, in: directory)
        request.freshURL = freshURL
        request.fileName = fileName
        if case .url(_, let mirrors) = source { request.mirrors = mirrors }
        request.context = try context.withSecrets(secrets)
        request.options = options
        return request
    }
}

extension Unpacking {
    /// - Parameter members: which of them; empty for all.
    package func options(members: [String], _ secrets: SecretReader) throws(DownloadError) -> ExtractionOptions {
        var options = ExtractionOptions()
        options.patterns = members.isEmpty ? nil : members
        options.allowsLinks = allowsLinks
        options.allowsTwins = allowsTwins
        if let maximumBytes { options.limits.maximumBytes = maximumBytes }
        options.limits.maximumRatio = maximumRatio
        options.limits.maximumMembers = maximumMembers
        if let password { options.password = try secrets.text(of: password) }
        return options
    }
}
