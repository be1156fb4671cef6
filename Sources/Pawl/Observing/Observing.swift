import CoreMetrics
import Logging
import PawlCore
import PawlEngine
import Synchronization

/// The destinations of a downloader's log lines and metrics; none by default.
struct Observing: Sendable {
    var logger = Logger(label: "pawl", factory: { _ in SwiftLogNoOpLogHandler() })
    var metricsFactory: (any MetricsFactory)?
}

/// Makes the observers of a downloader's downloads.
final class Observers: Sendable {
    private let logger: Logger
    private let metrics: DownloadMetrics?
    private let latest = Locked<UInt64>(0)

    init(_ observing: Observing) {
        logger = observing.logger
        metrics = observing.metricsFactory.map(DownloadMetrics.init)
    }

    /// Whether anybody receives something. A logger that drops everything is at `critical`, which is never logged here.
    var areThere: Bool { metrics != nil || logger.logLevel < .critical }

    /// Creates a recorder; nil if neither logs nor metrics would receive anything.
    ///
    /// - Parameter id: a manager's; nil numbers the downloads of a downloader from one.
    func make(id: DownloadID?, _ url: HTTPURL, at now: Instant) -> DownloadRecorder? {
        guard areThere else { return nil }
        let number =
            id?.number
            ?? latest.withLock { latest in
                latest += 1
                return latest
            }
        return DownloadRecorder(DownloadLog(logger, download: number), metrics, ObservedURL(url), at: now)
    }
}
