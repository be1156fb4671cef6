import Pawl
import PawlCore
import PawlJobs

extension ResolvedGet {
    /// Two downloads with the same one of these are one: the library would run one download for both.
    private struct Identity: Hashable {
        let request: [UInt8]
        let guarantees: DownloadOptions?
        let place: JobTarget

        init(_ planned: PlannedDownload, _ netrc: Netrc?) {
            let settings = planned.request.settings(netrc: netrc)
            // One that the library refuses is said to be wrong once.
            request = settings?.identity ?? Array(planned.request.url.utf8)
            guarantees = settings?.options.guarantees
            place = planned.request.jobTarget
        }
    }

    /// Keeps one of those that are the same download, and says so.
    ///
    /// - Throws: for two that would become one file, before anything is fetched.
    mutating func settleDuplicates() throws(UsageError) {
        var owners: [JobTarget: PlannedDownload] = [:]
        var known: Set<Identity> = []
        var kept: [PlannedDownload] = []
        for var download in downloads where known.insert(Identity(download, configuration.netrc)).inserted {
            let place = download.request.jobTarget
            if place.name != nil, download.request.ifExists != .rename {
                if let other = owners.updateValue(download, forKey: place) { throw Self.clash(other, download) }
            }
            download.id = kept.count + 1
            kept.append(download)
        }
        let repeated = downloads.count - kept.count
        if repeated > 0 {
            remarks.append(
                repeated == 1 ? "One URL is given twice and fetched once." : "\(repeated) URLs are given before and fetched once.")
        }
        downloads = kept
    }

    private static func clash(_ first: PlannedDownload, _ second: PlannedDownload) -> UsageError {
        let shown = first.shownURL == second.shownURL ? first.shownURL : "\(first.shownURL) and \(second.shownURL)"
        return UsageError(
            "Two URLs are to become “\(second.likelyPath)”: \(shown). Give each its own name, download one of them separately, or use --if-exists rename.")
    }
}

extension DownloadRequest {
    fileprivate var jobTarget: JobTarget { JobTarget(in: directory, fileName) }
}
