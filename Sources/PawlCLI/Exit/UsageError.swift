/// An unusable argument. The message says what is accepted, and never repeats what may hold a secret.
struct UsageError: Error, Equatable {
    let message: String
    /// The further problems of the same command line.
    var others: [String] = []
    /// The exit code; not that of a usage error if Ctrl-C was the answer to a question for the value.
    var exitCode = ExitCode.usage
    /// The command whose help says what can be typed.
    let command: String?

    init(_ message: String, moreFrom command: String? = nil) {
        self.message = message
        self.command = command
    }
}
