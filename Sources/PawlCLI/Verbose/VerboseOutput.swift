import Logging
import Pawl
import Synchronization

/// Writes the lines of `-v` to standard error: at once, or, while a block is redrawn there, when it is drawn next.
final class VerboseOutput: Sendable {
    private struct State {
        /// The lines held back until the block is drawn next; nil while lines are written at once.
        var held: [String]?
        var writer: VerboseWriter
    }

    let isDetailed: Bool
    private let errors: OutputStream
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(isDetailed: Bool, errors: OutputStream = .standardError, locale: Locale = .current) {
        self.isDetailed = isDetailed
        self.errors = errors
        state = Mutex(State(writer: VerboseWriter(isDetailed: isDetailed, locale: locale)))
    }

    func add(_ line: VerboseLine) {
        let elapsed = start.duration(to: .now)
        state.withLock { state in
            let text = state.writer.text(of: line, after: elapsed)
            if state.held != nil { state.held?.append(text) } else { errors.write(text + "\n") }
        }
    }

    /// There are several downloads, so each line says of which it is.
    func namesDownloads() { state.withLock { $0.writer.namesDownloads = true } }

    /// Holds lines from now on, until ``take()``.
    func hold() { state.withLock { $0.held = $0.held ?? [] } }

    func take() -> [String] {
        state.withLock { state in
            defer { if state.held != nil { state.held = [] } }
            return state.held ?? []
        }
    }

    /// Writes held lines; later ones are written at once.
    func release() {
        state.withLock { state in
            for line in state.held ?? [] { errors.write(line + "\n") }
            state.held = nil
        }
    }
}

/// Hands log lines of the library to a ``VerboseOutput``.
struct VerboseLogHandler: LogHandler {
    let output: VerboseOutput
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(_ output: VerboseOutput) {
        self.output = output
        logLevel = output.isDetailed ? .trace : .debug
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }
        output.add(VerboseLine(message: event.message.description, facts: facts.mapValues(\.description)))
    }
}
