/// An argument that cannot be used. The message says what is accepted; it never repeats what may hold a secret.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
