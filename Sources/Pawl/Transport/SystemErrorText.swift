internal import PawlSystem

/// Error numbers of socket calls in words.
enum SystemErrorText {
    static func describe(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET, EPIPE: "connection reset by peer"
        case ECONNABORTED: "connection aborted"
        case ETIMEDOUT: "connection timed out"
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN: "no route to the host"
        case ENOENT: "no such file"
        case EACCES, EPERM: "permission denied"
        case EISDIR: "it is a directory"
        case EMFILE, ENFILE: "too many open files"
        default: SystemCalls.text(of: code)
        }
    }

    /// Whether this machine lacks something, so that the server must not be blamed.
    static func isLocalShortage(_ code: CInt) -> Bool {
        switch code {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EADDRNOTAVAIL: true
        default: false
        }
    }
}
