import Logging
import Pawl
import PawlEngine
import Synchronization

/// A logger that records its lines for a test.
final class RecordedLog: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var facts: [String: String]

        var event: String { facts["event"] ?? "" }
        /// The whole line: message and metadata.
        var text: String {
            message + " " + facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
    }

    private let recorded = Locked<[Line]>([])

    var lines: [Line] { recorded.withLock { $0 } }

    func lines(_ event: String) -> [Line] { lines.filter { $0.event == event } }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(log: RecordedLog) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(\.description)
            log.recorded.withLock {
                $0.append(Line(level: event.level, message: event.message.description, facts: facts))
            }
        }
    }
}
