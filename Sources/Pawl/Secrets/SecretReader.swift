package import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

/// Reads secrets from where requests say, each file once: a pipe can be read only once.
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
