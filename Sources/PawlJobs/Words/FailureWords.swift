import Pawl
import PawlArchive
import PawlCore

/// The words and exit codes of a shell for failures.
package struct FailureWords: Sendable {
    /// Returns the message for a person.
    package let message: @Sendable (JobFailure) -> String
    /// Returns the exit code for a program that waits.
    package let exitCode: @Sendable (JobStep, JobFailure) -> Int32

    package init(
        message: @escaping @Sendable (JobFailure) -> String,
        exitCode: @escaping @Sendable (JobStep, JobFailure) -> Int32
    ) {
        self.message = message
        self.exitCode = exitCode
    }
}
