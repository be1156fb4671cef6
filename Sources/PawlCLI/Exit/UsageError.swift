import PawlJobs
import PawlOptions

/// An unusable argument. The message says what is accepted, and never repeats what may hold a secret.
struct UsageError: Error, Equatable {
    let message: String
    /// Another one where the value was asked for and Ctrl-C was the answer.
    var exitCode = ExitCode.usage

    init(_ message: String) {
        self.message = message
    }

    /// What a flag was given, read.
    static func value<Value>(
        of flag: String, _ text: String, _ read: (String) throws(OptionValueProblem) -> Value
    ) throws(UsageError) -> Value {
        do throws(OptionValueProblem) {
            return try read(text)
        } catch {
            throw UsageError("\(flag) takes \(error.accepted).")
        }
    }
}
