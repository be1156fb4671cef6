/// What happens to a download, by aria2's word for it.
package enum Aria2Event: String, Hashable, Sendable {
    case started = "DownloadStart"
    case paused = "DownloadPause"
    /// By its user.
    case stopped = "DownloadStop"
    case completed = "DownloadComplete"
    case failed = "DownloadError"
}
