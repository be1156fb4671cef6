import PawlArchive

/// Asks for the password of an archive if one is needed and none was given.
struct PasswordTries {
    let archive: String
    let session: Session
    private var left = 3

    init(of archive: String, session: Session) {
        self.archive = archive
        self.session = session
    }

    /// Asks for a password after a failure that one may mend.
    ///
    /// - Returns: what to try next; nil where a password would not help or cannot be had.
    /// - Throws: ``ArchiveError``; `CancellationError` after Ctrl-C at the question, when the program is told to stop,
    ///   and when the task is cancelled.
    mutating func next(after error: any Error, given password: String?) async throws -> String? {
        guard let error = error as? ArchiveError, left > 0, session.interruption.cause == nil else { return nil }
        switch error.code {
        case .passwordNeeded where password == nil: break
        // A typed password may be typed again; one from a file cannot change.
        case .wrongPassword where left < 3: session.complain(error.text)
        default: return nil
        }
        guard PasswordPrompt.canAsk else {
            session.say(
                "pawl: Cannot ask for the password: no terminal. Put it into a file for --password-file.")
            return nil
        }
        left -= 1
        let interruption = session.interruption
        let question = "Password of \(archive): "
        let answer = try await OwnThread.run { flag in
            PasswordPrompt.ask(question, isStopped: { interruption.cause != nil || flag.isUp })
        }
        switch answer {
        case .line(let line): return line
        case .nothing:
            throw ArchiveError(
                error.code, "No password was given. " + error.message, remedies: error.remedies, member: error.member)
        case .interrupted:
            if !Task.isCancelled { interruption.stop(.interrupt) }
            throw CancellationError()
        case .unavailable: return nil
        }
    }
}
