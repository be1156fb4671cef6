import CoreMetrics

/// The metrics of `GET /metrics`: those of downloads that docs/logging.md lists, and those of the service itself.
struct ServiceMetrics: Sendable {
    let registry: MetricsRegistry
    let service: JobService
    let readers: @Sendable () -> Int

    func answered(_ status: Int) {
        Counter(label: "pawl.service.requests", dimensions: [("status", "\(status / 100)xx")], factory: registry)
            .increment()
    }

    var text: String {
        let counts = (try? service.store.counts()) ?? [:]
        for state in StoredJob.State.allCases {
            registry.set("pawl.downloads", [("state", state.rawValue)], to: Int64(counts[state] ?? 0))
        }
        registry.set("pawl.service.event_readers", to: Int64(readers()))
        return registry.text
    }
}
