/// Why a download did not become a whole file, and what can be done.
///
/// Everything but cancellation, which is `CancellationError`, arrives as this one type. Loops look at ``recovery``, programs at
/// ``code``, people at ``message``. URLs in it are redacted: no userinfo, no query values.
public struct DownloadError: Error, Hashable, Sendable {
    /// What a caller may do about it.
    public enum Recovery: Hashable, Sendable {
        /// Trying again at once may work; what was stored is kept.
        case retryNow
        /// Trying again later may work; what was stored is kept. Nil: when the cause, such as a full disk, is gone.
        case retryAfter(Duration?)
        /// A fresh URL or fresh credentials are needed; what was stored is kept.
        case reconnect
        /// Only a new start can work.
        case restart
        /// The request itself must change.
        case giveUp
    }

    public let code: Code
    /// One or two sentences for a person: what failed, on what, and what to do.
    public let message: String
    public let recovery: Recovery
    /// The cause as the layer below reported it, for logs.
    public let underlying: String?

    package init(_ code: Code, _ message: String, recovery: Recovery, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.recovery = recovery
        self.underlying = underlying
    }
}

extension DownloadError: CustomStringConvertible {
    public var description: String { message }
}

extension DownloadError {
    package static func storage(_ error: StorageError, directory: String = "") -> DownloadError {
        let place = directory.isEmpty ? "“\(error.name)”" : "“\(error.name)” in “\(directory)”"
        let cause = "\(error.operation): \(error.reason)"
        func make(_ code: Code, _ text: String, _ recovery: Recovery) -> DownloadError {
            DownloadError(code, text, recovery: recovery, underlying: cause)
        }
        switch error.reason {
        case .noSpace:
            return make(
                .diskFull, "The disk is full: no space for \(place). Free some and run it again; progress is kept.",
                .retryAfter(nil))
        case .tooLittleSpace(let needed, let available):
            return make(
                .diskFull,
                "\(place) needs \(needed) bytes and \(available) are free. Free some, or choose another directory, and run it again.",
                .retryAfter(nil))
        case .belowFloor(let available):
            return make(
                .diskFull,
                "The disk is nearly full: \(available) bytes are free, and nobody knows how long \(place) will become. Free some and run it again.",
                .retryAfter(nil))
        case .quotaExceeded:
            return make(
                .diskFull, "The disk quota is used up at \(place). Free some and run it again; progress is kept.",
                .retryAfter(nil))
        case .readOnly:
            return make(
                .notWritable,
                "The file system of \(place) is read-only. Make it writable and run it again, or choose another directory.",
                .retryAfter(nil))
        case .permissionDenied:
            return make(
                .notWritable,
                "No permission to write \(place). Change its permissions and run it again, or choose another directory.",
                .retryAfter(nil))
        case .notFound:
            return make(.notWritable, "There is no \(place). Create the directory first, or name another.", .giveUp)
        case .notADirectory:
            return make(.notWritable, "\(place) is not a directory. Name another.", .giveUp)
        case .nameTooLong:
            return make(.notWritable, "The name \(place) is too long for this file system. Choose one with -o.", .giveUp)
        case .fileTooLarge:
            return make(
                .notWritable, "\(place) would be larger than this file system or the process limit allows.", .giveUp)
        case .exists:
            return make(.fileExists, "\(place) exists already.", .giveUp)
        case .isADirectory, .symbolicLink:
            return make(.fileExists, "\(place) exists and is not a regular file. Choose another name.", .giveUp)
        case .notSupported:
            return make(.notWritable, "The file system of \(place) cannot do what a download needs (\(cause)).", .giveUp)
        case .tooManyOpenFiles:
            return make(
                .diskError, "Too many files are open in this process or system; \(place) could not be opened.",
                .retryAfter(nil))
        case .stale:
            return make(
                .diskError,
                "The network file system no longer knows \(place): its server was restarted, or something was removed there (\(cause)). What was saved at the last checkpoint is kept; run it again once the directory can be listed.",
                .retryAfter(nil))
        case .inputOutput, .busy, .crossDevice, .other:
            return make(
                .diskError,
                "The disk failed at \(place) (\(cause)). What was saved at the last checkpoint is kept; check the disk, then run it again.",
                .retryAfter(nil))
        }
    }
}
