import CoreMetrics
import PawlEngine
import Synchronization

/// Counters and timers in memory. A value's name is its label, followed by its dimensions: `pawl.requests{status=2xx}`.
final class RecordedMetrics: MetricsFactory {
    private struct State {
        var counts: [String: Int64] = [:]
        var times: [String: [Int64]] = [:]
        var values: [String: [Double]] = [:]
    }

    private let state = Locked(State())

    func count(_ name: String) -> Int64 { state.withLock { $0.counts[name] ?? 0 } }

    /// The recorded times in nanoseconds.
    func times(_ name: String) -> [Int64] { state.withLock { $0.times[name] ?? [] } }

    func values(_ name: String) -> [Double] { state.withLock { $0.values[name] ?? [] } }

    var names: Set<String> { state.withLock { Set($0.counts.keys).union($0.times.keys).union($0.values.keys) } }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(self, label, dimensions)
    }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Handler(self, label, dimensions)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Handler(self, label, dimensions)
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Handler(self, label, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    private final class Handler: CounterHandler, MeterHandler, TimerHandler, RecorderHandler {
        let metrics: RecordedMetrics
        let name: String

        init(_ metrics: RecordedMetrics, _ label: String, _ dimensions: [(String, String)]) {
            self.metrics = metrics
            let tags = dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
            name = tags.isEmpty ? label : "\(label){\(tags)}"
        }

        func increment(by amount: Int64) { metrics.state.withLock { $0.counts[name, default: 0] += amount } }
        func recordNanoseconds(_ duration: Int64) {
            metrics.state.withLock { $0.times[name, default: []].append(duration) }
        }
        func set(_ value: Double) { metrics.state.withLock { $0.values[name, default: []].append(value) } }
        func set(_ value: Int64) { set(Double(value)) }
        func increment(by amount: Double) { set((metrics.values(name).last ?? 0) + amount) }
        func decrement(by amount: Double) { increment(by: -amount) }
        func record(_ value: Int64) { set(value) }
        func record(_ value: Double) { set(value) }
        func reset() {}
    }
}
