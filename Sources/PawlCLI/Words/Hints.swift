import Pawl
import PawlArchive
import PawlClient
import PawlCore
import PawlJobs

/// Sentences about what would help, in the words of this command. The words of each remedy are in the catalogue of
/// `PawlJobs`.
enum Hints {
    /// Adds to a message what would help.
    static func text(_ message: String, _ remedies: [JobRemedy]) -> String {
        JobRemedy.sentence(remedies, in: \.command).map { "\(message) \($0)" } ?? message
    }

    /// Returns advice that only the client can give; the service gives its own for its own problems.
    static func clauses(for code: ServiceError.Code) -> [String] {
        switch code {
        case .notRunning: ["start it with 'pawl serve'", "name another one with --service"]
        case .tokenRequired, .wrongToken: ["give the token of 'pawl token' in $PAWL_TOKEN", "use the socket"]
        case .foreignAnswer: ["check --service", "use a service of the same version"]
        case .tooFewThreads: DownloadError.tooFewThreads.remedies.compactMap { JobRemedy($0).words?.command }
        case .connectionLost, .timedOut: ["check the result with 'pawl ls'"]
        default: []
        }
    }

    static let urlPattern = "--no-glob takes the URL literally."
}

extension DownloadError {
    /// The error in the words of this command: first the failure, then the remedy.
    var text: String { JobFailure.download(self).text }
}

extension ArchiveError {
    /// The error in the same form as a ``DownloadError``.
    var text: String { JobFailure.archive(self).text }
}
