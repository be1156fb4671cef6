import PawlArchive
import PawlCore
import PawlJobs

extension StoredJob.Failure {
    init(_ failure: JobFailure) {
        let (recovery, remedies): (DownloadError.Recovery, [String]) =
            switch failure {
            case .download(let error): (error.recovery, error.remedies.map(\.rawValue))
            case .archive(let error): (.giveUp, error.remedies.map(\.rawValue))
            default: (.giveUp, [])
            }
        self.init(code: failure.code, message: failure.message, recovery: recovery.name, remedies: remedies)
    }
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
