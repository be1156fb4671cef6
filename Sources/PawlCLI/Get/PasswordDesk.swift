import PawlArchive

/// Asks for the passwords of archives, while nothing is drawn at the terminal.
actor PasswordDesk {
    private let session: Session
    private let display: GetDisplay
    private var tries: [String: PasswordTries] = [:]

    init(_ session: Session, _ display: GetDisplay) {
        self.session = session
        self.display = display
    }

    func next(for archive: String, after error: ArchiveError, given password: String?) async throws -> String? {
        var tries = tries[archive] ?? PasswordTries(of: archive, session: session)
        await display.suspend(true)
        let answer: Result<String?, any Error>
        do { answer = .success(try await tries.next(after: error, given: password)) } catch { answer = .failure(error) }
        self.tries[archive] = tries
        await display.suspend(false)
        return try answer.get()
    }
}
