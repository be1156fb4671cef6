import Logging
import PawlCore
import PawlEngine

/// The log lines of one download: a static message, and metadata with the keys of docs/logging.md.
struct DownloadLog: Sendable {
    /// The subject of a line, under the key `event`.
    enum Event: String {
        case started, request, answer, fields, decision, retry, segment, connection, checkpoint, verification, ended
    }

    private var logger: Logger

    init(_ logger: Logger, download number: UInt64) {
        self.logger = logger
        self.logger[metadataKey: "download.id"] = "\(number)"
    }

    /// Writes a line. Its parts are not built unless it is logged.
    func line(
        _ level: Logger.Level, _ event: Event, _ message: Logger.Message, of connection: ExchangeID? = nil,
        _ facts: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logger.logLevel <= level else { return }
        var metadata = facts()
        metadata["event"] = "\(event.rawValue)"
        if let connection { metadata["connection"] = "\(connection.number)" }
        logger.log(level: level, message, metadata: metadata, source: "Pawl")
    }
}

extension Duration {
    /// The duration in seconds, with three decimal places.
    var logged: Logger.MetadataValue {
        let milliseconds = max(0, Int64(saturating: self / .milliseconds(1)))
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.utf8.count))\(fraction)"
    }
}
