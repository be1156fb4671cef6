import PawlSystem

/// The reason why the program should stop early.
enum StopCause: Hashable, CaseIterable {
    case hangUp
    case interrupt
    case terminate
    /// The reader of stdout is gone; the default action of SIGPIPE would have ended the program.
    case outputClosed

    init?(signal: Int32) {
        switch signal {
        case SIGHUP: self = .hangUp
        case SIGINT: self = .interrupt
        case SIGTERM: self = .terminate
        default: return nil
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .hangUp: .hangUp
        case .interrupt: .interrupted
        case .terminate: .terminated
        case .outputClosed: .outputClosed
        }
    }
}
