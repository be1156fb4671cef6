package import Pawl
package import PawlArchive
package import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

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
        request.headers = headers
        request.userAgent = userAgent
        request.referer = referer
        request.options = options
        switch authentication {
        case .password(let name, let secret):
            request.authentication = .password(Credentials(name: name, password: try secrets.text(of: secret)))
        case .bearer(let secret): request.authentication = .bearer(try secrets.text(of: secret))
        case nil: break
        }
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

/// Reads secrets from where jobs say, each file once: a pipe can be read only once.
package final class SecretReader: Sendable {
    private let known = Locked<[ExactText: Result<String, DownloadError>]>([:])

    package init() {}

    package func text(of secret: Secret) throws(DownloadError) -> String {
        switch secret {
        case .value(let text): return text
        case .file(let path): return try line(of: path)
        case .environment(let name):
            guard let value = Environment.value(name), !value.isEmpty else {
                throw DownloadError(
                    .invalidArgument, "The environment variable “\(name)” is not set.", recovery: .giveUp)
            }
            return value
        }
    }

    /// Failures are remembered too: the content of a pipe is gone after the first attempt.
    private func line(of path: String) throws(DownloadError) -> String {
        let result = known.withLock { known in
            if let result = known[ExactText(path)] { return result }
            let result = Result { () throws(DownloadError) in try Secrets.firstLine(ofFile: path) }
            known[ExactText(path)] = result
            return result
        }
        return try result.get()
    }
}
