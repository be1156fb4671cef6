import CoreMetrics
import PawlCore
import PawlEngine
import Synchronization

/// The counters and timers of docs/logging.md, made once for all downloads of a downloader.
final class DownloadMetrics: Sendable {
    private let factory: any MetricsFactory
    private let started: Counter
    private let bytes: Counter
    private let retries: Counter
    private let duration: CoreMetrics.Timer
    private let firstByte: CoreMetrics.Timer
    private let open: Meter
    private let openCount = Locked(0)

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        started = Counter(label: "pawl.downloads.started", factory: factory)
        bytes = Counter(label: "pawl.bytes.received", factory: factory)
        retries = Counter(label: "pawl.retries", factory: factory)
        duration = CoreMetrics.Timer(label: "pawl.download.duration", factory: factory)
        firstByte = CoreMetrics.Timer(label: "pawl.time_to_first_byte", factory: factory)
        open = Meter(label: "pawl.connections.open", factory: factory)
    }

    func downloadStarted() { started.increment() }

    func downloadEnded(_ phase: DownloadMachine.Phase, after time: Duration) {
        duration.recordNanoseconds(time.nanoseconds)
        switch phase {
        case .completed: counter("pawl.downloads.completed").increment()
        case .failed(let error): counter("pawl.downloads.failed", ("code", error.code.rawValue)).increment()
        default: counter("pawl.downloads.stopped").increment()
        }
    }

    func asked() { record(1) }

    func answered(status: Int, after time: Duration) {
        firstByte.recordNanoseconds(time.nanoseconds)
        counter("pawl.requests", ("status", "\(status / 100)xx")).increment()
    }

    /// - Parameter hadAnswer: false of a request that failed below HTTP, or was given up first.
    func exchangeEnded(received: Int64, hadAnswer: Bool) {
        record(-1)
        if received > 0 { bytes.increment(by: received) }
        if !hadAnswer { counter("pawl.requests", ("status", "none")).increment() }
    }

    func retried() { retries.increment() }

    private func counter(_ label: String, _ dimensions: (String, String)...) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: factory)
    }

    private func record(_ change: Int) {
        openCount.withLock { count in
            count += change
            // Under the lock, so that the last value recorded is the latest.
            open.set(count)
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
