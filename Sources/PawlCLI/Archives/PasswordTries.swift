import PawlArchive

/// Asks for the password of an archive where one is needed and nobody has given it.
struct PasswordTries {
    let archive: String
    let session: Session
    private var left = 3

    init(of archive: String, session: Session) {
        self.archive = archive
        self.session = session
    }

    /// After a failure.
    ///
    /// - Returns: what to try next; nil where a password would not help or cannot be had.
    mutating func next(after error: any Error, given password: String?) throws(UsageError) -> String? {
        guard let error = error as? ArchiveError, left > 0, session.interruption.cause == nil else { return nil }
        switch error.code {
        case .passwordNeeded where password == nil: break
        // What somebody typed may be typed again; what is in a file stays what it is.
        case .wrongPassword where left < 3: session.complain(error.message)
        default: return nil
        }
        guard PasswordPrompt.canAsk else {
            session.say("pawl: There is no terminal to ask for the password at; put it into a file for --password-file.")
            return nil
        }
        left -= 1
        return try PasswordPrompt.ask("Password of \(archive): ", whereNobodyIs: error.message)
    }
}
