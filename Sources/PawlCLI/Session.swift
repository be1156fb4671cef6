import ArgumentParser
import PawlArchive
import PawlCore

/// One run of the program: where it writes, and what stops it.
struct Session: Sendable {
    var output = OutputStream.standardOutput
    var errors = OutputStream.standardError
    var interruption = Interruption()
    let files = NamedFiles()

    func run(_ arguments: [String]) async -> ExitCode {
        if let page = HelpTopic.answer(to: arguments, columns: HelpTopic.columns(terminal: Terminal.size.columns)) { return write(page) }
        do {
            guard let command = try PawlCommand.subcommand(from: arguments) else {
                errors.write(PawlCommand.helpMessage() + "\n")
                return .usage
            }
            return try await command.execute(in: self)
        } catch {
            return report(error)
        }
    }

    /// Says what went wrong, in one line, and what to tell the shell.
    func report(_ error: any Error) -> ExitCode {
        switch error {
        case let error as DownloadError:
            complain(error.words)
            return ExitCode(error.code)
        case let error as ArchiveError:
            complain(error.words)
            return ExitCode(error.code)
        case let error as UsageError:
            complain(error.message)
            return .usage
        case is CancellationError:
            return interruption.cause?.exitCode ?? .failure
        default:
            return reportParsing(error)
        }
    }

    /// Help and the version are `Error`s too, as ArgumentParser has it, and go to stdout.
    private func reportParsing(_ error: any Error) -> ExitCode {
        let code = PawlCommand.exitCode(for: error)
        if code.isSuccess {
            return write(PawlCommand.fullMessage(for: error) + "\n")
        }
        complain(PawlCommand.message(for: error))
        guard code == .validationFailure else { return .failure }
        say("Try “pawl --help”, or “pawl get --help”.")
        return .usage
    }

    /// Writes data to stdout.
    func write(_ text: String) -> ExitCode {
        output.write(text) ? .done : .outputClosed
    }

    /// Writes a line to stderr.
    func say(_ line: String) {
        errors.write(line.shown(in: Locale.current) + "\n")
    }

    func complain(_ message: String) {
        say("pawl: " + message)
    }
}
