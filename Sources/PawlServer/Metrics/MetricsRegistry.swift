import CoreMetrics
import PawlCore
import PawlEngine
import Synchronization

/// Keeps what swift-metrics is told, and words it in Prometheus's text format, version 0.0.4.
final class MetricsRegistry: MetricsFactory {
    /// A name with its labels.
    private struct Place: Hashable, Comparable {
        let name: ExactText
        let labels: ExactText

        static func < (left: Place, right: Place) -> Bool { (left.name, left.labels) < (right.name, right.labels) }
    }

    private let series = Locked<[Place: Series]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, "_total", dimensions, .counter)
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        find(label, "_total", dimensions, .counter)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, "", dimensions, .gauge)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        find(label, "", dimensions, aggregate ? .summary : .gauge)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label, "_seconds", dimensions, .summary)
    }

    // What was counted is asked for later.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// Sets a gauge to its present value, for metrics that are read on demand instead of reported.
    func set(_ label: String, _ dimensions: [(String, String)] = [], to value: Int64) {
        find(label, "", dimensions, .gauge).set(value)
    }

    private func find(
        _ label: String, _ suffix: String, _ dimensions: [(String, String)], _ kind: Series.Kind
    ) -> Series {
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        let place = Place(name: ExactText(Self.name(label) + suffix), labels: ExactText(labels))
        return series.withLock { series in
            if let known = series[place] { return known }
            let new = Series(kind)
            series[place] = new
            return new
        }
    }

    // MARK: Words

    var text: String {
        var lines: [String] = []
        var last: ExactText?
        for (place, series) in series.withLock({ $0.sorted { $0.key < $1.key } }) {
            let name = place.name.text
            if place.name != last { lines.append("# TYPE \(name) \(series.kind.rawValue)") }
            last = place.name
            let labels = place.labels.text.isEmpty ? "" : "{\(place.labels.text)}"
            let (sum, count) = series.now
            switch series.kind {
            case .counter, .gauge: lines.append("\(name)\(labels) \(Self.number(sum))")
            case .summary: lines += ["\(name)_sum\(labels) \(Self.number(sum))", "\(name)_count\(labels) \(count)"]
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func name(_ label: String) -> String {
        String(decoding: label.utf8.map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }

    private static func escaped(_ value: String) -> String {
        var escaped: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): escaped += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): escaped += Array("\\n".utf8)
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}

private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String { case counter, gauge, summary }

    let kind: Kind
    private let value = Locked((sum: 0.0, count: 0))

    init(_ kind: Kind) { self.kind = kind }

    var now: (sum: Double, count: Int) { value.withLock { $0 } }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
    func record(_ amount: Int64) { record(Double(amount)) }
    func record(_ amount: Double) { if case .gauge = kind { set(amount) } else { add(amount) } }
    func set(_ amount: Int64) { set(Double(amount)) }
    func set(_ amount: Double) { value.withLock { $0.sum = amount } }
    func reset() { value.withLock { $0 = (0, 0) } }

    private func add(_ amount: Double) {
        value.withLock { value in
            value.sum += amount
            value.count += 1
        }
    }
}
