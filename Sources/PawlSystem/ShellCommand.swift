import PawlCore

/// A command of the shell whose output is wanted.
package enum ShellCommand {
    package enum Ending: Sendable {
        /// - `status`: as of wait(2).
        case ended(output: [UInt8], status: Int32)
        case notStarted(errno: Int32)
    }

    /// Runs a command on a thread of its own, with our standard error and no input.
    ///
    /// - Parameter limit: the most bytes of output that are kept.
    package static func run(_ command: String, limit: Int, ended: @escaping @Sendable (Ending) -> Void) {
        let isStarted = DetachedThread.start { ended(wait("exec </dev/null; " + command, limit)) }
        if !isStarted { ended(.notStarted(errno: EAGAIN)) }
    }

    private static func wait(_ command: String, _ limit: Int) -> Ending {
        guard let stream = command.withSystemPath({ popen($0, "r") }) else { return .notStarted(errno: errno) }
        var (output, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = fread(&piece, 1, piece.count, stream), count > 0 {
            output += piece.prefix(min(count, limit - output.count))
        }
        return .ended(output: output, status: pclose(stream))
    }
}
