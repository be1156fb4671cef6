import Pawl
import PawlCore
import PawlJobs

/// The failures of a run that say of one host that it was not found. Any other failure is a group by itself.
struct FailureGroup {
    /// The host that was not found; nil for a failure that concerns one file.
    let host: String?
    fileprivate(set) var failures: [RunSummary.Failure]

    /// Groups failures, in the order of the first one of each group.
    static func groups(of failures: [RunSummary.Failure]) -> [FailureGroup] {
        var groups: [FailureGroup] = []
        var indices: [ExactText: Int] = [:]
        for failure in failures {
            let host = host(of: failure.reason)
            let words = ExactText(failure.reason.text)
            if host != nil, let index = indices[words] {
                groups[index].failures.append(failure)
            } else {
                if host != nil { indices[words] = groups.count }
                groups.append(FailureGroup(host: host, failures: [failure]))
            }
        }
        return groups
    }

    /// The host that was not found.
    static func host(of failure: JobFailure) -> String? {
        guard case .download(let error) = failure, error.facts.hostIsUnknown else { return nil }
        return error.facts.host
    }
}

/// Remembers which hosts were not found, so that a list tells it once for each of them, and not for each file.
struct FailureDeduplicator {
    private var shown: Set<ExactText> = []

    /// Whether nothing like this was said before.
    mutating func isNew(_ outcome: JobOutcome) -> Bool {
        guard case .failed(_, let failure, _) = outcome, FailureGroup.host(of: failure) != nil else { return true }
        return shown.insert(ExactText(failure.text)).inserted
    }
}
