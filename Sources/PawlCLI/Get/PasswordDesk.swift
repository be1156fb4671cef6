import PawlArchive
import PawlCore

/// Asks for the passwords of archives, with drawing suspended.
actor PasswordDesk {
    private let session: Session
    private let display: GetDisplay
    private var tries: [ExactText: PasswordTries] = [:]

    init(_ session: Session, _ display: GetDisplay) {
        self.session = session
        self.display = display
    }

    func next(for archive: String, after error: ArchiveError, given password: String?) async throws -> String? {
        var tries = tries[ExactText(archive)] ?? PasswordTries(of: archive, session: session)
        await display.suspend(true)
        let answer: Result<String?, any Error>
        do { answer = .success(try await tries.next(after: error, given: password)) } catch { answer = .failure(error) }
        self.tries[ExactText(archive)] = tries
        await display.suspend(false)
        return try answer.get()
    }
}
