import PawlCore
import PawlEngine

/// Tells a download of one of its runs, and with it a manager, an observer and the host memory.
final class DownloadTeller: RunListener {
    private let download: Download
    private let manager: (any RunListener)?
    private let observer: DownloadRecorder?
    /// Told what is learned of hosts, where there is no manager.
    private let memory: HostMemoryKeeper?
    private let runtime: any Runtime
    /// Concludes the run by its argument, once nothing more is written.
    private let end: @Sendable (_ conclude: @escaping @Sendable () -> Void) -> Void

    init(
        _ download: Download, _ manager: (any RunListener)?, _ observer: DownloadRecorder?,
        _ memory: HostMemoryKeeper?, _ runtime: any Runtime,
        end: @escaping @Sendable (_ conclude: @escaping @Sendable () -> Void) -> Void
    ) {
        (self.download, self.manager, self.observer, self.memory) = (download, manager, observer, memory)
        (self.runtime, self.end) = (runtime, end)
    }

    func progressed(_ progress: DownloadProgress) {
        download.publish(progress)
        manager?.progressed(progress)
    }

    func reported(_ report: DownloadReport) {
        observer?.reported(report, at: runtime.now)
        download.publish(report, now: runtime.now)
        manager?.reported(report)
    }

    func learned(_ url: HTTPURL, _ observation: HostObservation) {
        memory?.learn(observation, of: url)
        manager?.learned(url, observation)
    }

    func named(_ name: String) { manager?.named(name) }

    func claimed() { manager?.claimed() }

    func mayTake(_ name: String) -> Bool { manager?.mayTake(name) ?? true }

    func inTurn(_ proceed: @escaping @Sendable () -> Void) {
        if let manager { manager.inTurn(proceed) } else { proceed() }
    }

    func ended(_ ending: DownloadDriver.Ending) {
        observer?.ended(ending, at: runtime.now)
        end { [download, manager] in
            download.conclude(ending)
            manager?.ended(ending)
        }
    }
}
