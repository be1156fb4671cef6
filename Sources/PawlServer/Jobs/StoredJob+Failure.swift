import PawlCore
import PawlJobs

extension StoredJob.Failure {
    init(_ failure: JobFailure) {
        let recovery: DownloadError.Recovery =
            if case .download(let error) = failure { error.recovery } else { .giveUp }
        self.init(
            code: failure.code, message: failure.message, recovery: recovery.name,
            remedies: failure.remedies.map(\.name))
    }
}

extension StoredJob {
    /// Advice after a failure, for clients of the API; nil if there is none.
    var hint: String? {
        let remedies = failure?.remedies ?? []
        return JobRemedy.sentence(
            remedies.map { JobRemedy(named: $0, ofArchive: step == .unpack || isDirect) }, in: \.service)
    }
}

extension JobFailure {
    /// Advice for clients of the API; nil if there is none.
    var hint: String? { JobRemedy.sentence(remedies, in: \.service) }
}

extension DownloadError.Recovery {
    var name: String {
        switch self {
        case .retryNow: "retryNow"
        case .retryAfter: "retryAfter"
        case .reconnect: "reconnect"
        case .restart: "restart"
        case .giveUp: "giveUp"
        }
    }
}
