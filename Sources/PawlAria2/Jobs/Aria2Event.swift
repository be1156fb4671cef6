/// An event of a download, under aria2's name.
package enum Aria2Event: String, Hashable, Sendable {
    case started = "DownloadStart"
    case paused = "DownloadPause"
    /// The user removed the download.
    case stopped = "DownloadStop"
    case completed = "DownloadComplete"
    case failed = "DownloadError"
}
