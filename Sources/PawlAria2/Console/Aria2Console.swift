import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

/// The outputs of aria2c: the console, by its level and unless quiet, and the log.
package final class Aria2Console: Sendable {
    private struct State {
        /// Columns of a line that is drawn over.
        var drawn = 0
        var log: Int32
    }

    private let descriptor: Int32
    private let isTerminal: Bool
    private let isQuiet: Bool
    private let levels: (console: Aria2Log.Level, log: Aria2Log.Level)
    private let state: Locked<State>
    package let isColoured: Bool

    /// - Throws: if the log cannot be opened.
    package init(_ options: Aria2Options) throws(Aria2Failure) {
        descriptor = options.isTrue("stderr") ? STDERR_FILENO : STDOUT_FILENO
        isTerminal = isatty(descriptor) == 1
        isQuiet = options.isTrue("quiet")
        isColoured = isTerminal && !options.isFalse("enable-color")
        levels = (Self.level(options["console-log-level"]) ?? .notice, Self.level(options["log-level"]) ?? .debug)
        var log: Int32 = -1
        if let path = options["log"], !path.isEmpty {
            log =
                path.isExactly("-") ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
            guard log >= 0 else {
                throw Aria2Failure("The log “\(path)” cannot be opened: \(SystemCalls.text(of: errno)).")
            }
        }
        state = Locked(State(log: log))
    }

    private static func level(_ word: String?) -> Aria2Log.Level? { word.flatMap { Aria2Log.Level(word: $0) } }

    package func log(_ level: Aria2Log.Level, _ text: String) {
        state.withLock { state in
            if state.log >= 0, level >= levels.log {
                Self.write(Aria2Log.fileLine(level, text, date: Self.date("%Y-%m-%d %H:%M:%S")), to: state.log)
            }
            guard !isQuiet, level >= levels.console else { return }
            put(Aria2Log.consoleLine(level, text, date: Self.date("%m/%d %H:%M:%S"), isColoured: isColoured), &state)
        }
    }

    /// Shows a text of the program itself, unless the console is quiet.
    package func show(_ text: String) {
        guard !isQuiet else { return }
        state.withLock { put(text, &$0) }
    }

    /// Draws the readout: over the last one where there is a terminal, else as a line.
    ///
    /// - Parameter isCut: at the end of the terminal's line.
    package func draw(_ line: String, plain: String, isCut: Bool) {
        guard !isQuiet else { return }
        state.withLock { state in
            guard isTerminal else { return put(plain + "\n", &state) }
            // While another program has the terminal, nothing is drawn.
            guard tcgetpgrp(descriptor) == getpgrp() else { return }
            put("", &state)
            let fits = plain.utf8.count <= columns
            Self.write(
                fits || !isCut ? line : String(decoding: plain.utf8.prefix(columns), as: UTF8.self), to: descriptor)
            state.drawn = min(plain.utf8.count, columns)
        }
    }

    /// The number of columns of the terminal, less one for the cursor.
    package var columns: Int {
        var size = winsize()
        guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 79 }
        return Int(size.ws_col) - 1
    }

    private func put(_ text: String, _ state: inout State) {
        if state.drawn > 0 { Self.write("\r" + String(repeating: " ", count: state.drawn) + "\r", to: descriptor) }
        state.drawn = 0
        Self.write(text, to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { SystemCalls.writeOnce(descriptor, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Formats the present local time.
    package static func date(_ format: String) -> String {
        var now = time(nil)
        var parts = tm()
        guard localtime_r(&now, &parts) != nil else { return "" }
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, format, &parts)
        return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
