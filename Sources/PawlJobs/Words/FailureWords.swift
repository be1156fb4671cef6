import Pawl
import PawlArchive
import PawlCore

/// What a shell says of failures.
package struct FailureWords: Sendable {
    /// What a person is told.
    package let message: @Sendable (JobFailure) -> String
    /// What a program is told that waits for it.
    package let exitCode: @Sendable (JobStep, JobFailure) -> Int32

    package init(
        message: @escaping @Sendable (JobFailure) -> String,
        exitCode: @escaping @Sendable (JobStep, JobFailure) -> Int32
    ) {
        self.message = message
        self.exitCode = exitCode
    }
}
