public import CoreMetrics
public import Logging

extension Downloader.Configuration {
    /// Requests, answers, decisions and retries are logged at `debug`, connections and checkpoints at `trace`, and
    /// above that only what an operator should look into. Each line has the download's id; none has a secret. Nothing
    /// is logged unless this is set (docs/logging.md).
    public var logger: Logger {
        get { observing.logger }
        set { observing.logger = newValue }
    }

    /// Makes the counters and timers of docs/logging.md. Nil, the default: there are none. `MetricsSystem.factory` is
    /// the one of the process.
    public var metricsFactory: (any MetricsFactory)? {
        get { observing.metricsFactory }
        set { observing.metricsFactory = newValue }
    }
}
