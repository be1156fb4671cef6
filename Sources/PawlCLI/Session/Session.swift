import Pawl
import PawlArchive
import PawlClient
import PawlCore
import PawlJobs
import PawlStore
import PawlWork

/// A run of the program: its output, and the signals that stop it.
struct Session: Sendable {
    var output = OutputStream.standardOutput
    var errors = OutputStream.standardError
    var interruption = Interruption()
    let files = NamedFiles()
    let secrets = SecretReader()

    /// Reports an error in one line, and returns the exit code; nil for one that no command expects.
    func reportKnown(_ error: any Error) -> ExitCode? {
        switch error {
        case let error as DownloadError:
            complain(error.text)
            return ExitCode(error.code)
        case let error as ArchiveError:
            complain(error.text)
            return ExitCode(error.code)
        case let error as StoreError: return reportKnown(WorkError(error))
        case let error as StorageError: return reportKnown(DownloadError.storage(error))
        case is ThreadShortage: return reportKnown(DownloadError.tooFewThreads)
        case let error as WorkError:
            complain(error.message)
            return ExitCode(error)
        case let failure as JobFailure:
            complain(failure.text)
            return ExitCode(failure)
        case let error as ServiceError:
            complain(error.text)
            return error.code == .cancelled ? interruption.cause?.exitCode ?? .failure : ExitCode(error)
        case let error as UsageError:
            complain(error.message)
            error.others.forEach(complain)
            if let command = error.command { say("See “pawl \(command) --help”.") }
            return error.exitCode
        case is CancellationError:
            return interruption.cause?.exitCode ?? .failure
        default: return nil
        }
    }

    /// Writes data to stdout.
    func write(_ text: String) -> ExitCode {
        output.write(text) ? .done : .outputClosed
    }

    /// Writes bytes to stdout. Once nobody reads them, as after the lines that head wants, nobody wants the run to go
    /// on.
    @Sendable func writeBytes(_ bytes: [UInt8]) -> Bool {
        if output.write(bytes) { return true }
        interruption.stop(.outputClosed)
        return false
    }

    /// Writes a line to stderr.
    func say(_ line: String) {
        errors.say(line.shown(in: Locale.current))
    }

    /// Writes what went wrong to stderr.
    func complain(_ message: String) { errors.say(Severity.error.line(message)) }

    /// Writes what may go wrong to stderr.
    func warn(_ message: String) { errors.say(Severity.warning.line(message)) }
}
