package import PawlCore
package import PawlEngine

/// Tells closures what becomes of a running download.
package final class ClosureListener: RunListener {
    private let tellProgress: @Sendable (DownloadProgress) -> Void
    private let tellReport: @Sendable (DownloadReport) -> Void
    private let tellEnd: @Sendable (DownloadDriver.Ending) -> Void

    package init(
        progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in },
        report: @escaping @Sendable (DownloadReport) -> Void = { _ in },
        ended: @escaping @Sendable (DownloadDriver.Ending) -> Void
    ) {
        (tellProgress, tellReport, tellEnd) = (progress, report, ended)
    }

    package func progressed(_ progress: DownloadProgress) { tellProgress(progress) }
    package func reported(_ report: DownloadReport) { tellReport(report) }
    package func ended(_ ending: DownloadDriver.Ending) { tellEnd(ending) }
}
