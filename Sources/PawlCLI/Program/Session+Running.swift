import ArgumentParser
import PawlCore
import PawlSystem

extension Session {
    func run(_ arguments: [String]) async -> ExitCode {
        let code = await perform(arguments)
        guard code == .outputClosed, let failure = OutputStream.outputFailure else { return code }
        complain("stdout cannot be written: \(SystemCalls.text(of: failure)).")
        return [ENOSPC, EDQUOT].contains(failure) ? .diskFull : .disk
    }

    private func perform(_ arguments: [String]) async -> ExitCode {
        do {
            // What shells ask for; the answer is thrown.
            if arguments.first == "---completion" { _ = try await PawlCommand.asyncParseAsRoot(arguments) }
            // scripts/man.
            if arguments.first == "---coming-from" { return write(PeerOption.page) }
            let arguments = try PawlCommand.withCommand(arguments)
            if let page = HelpTopic.answer(to: arguments, columns: HelpTopic.columns(terminal: Terminal.size.columns)) {
                return write(page)
            }
            guard let command = try PawlCommand.subcommand(from: arguments, environment: Environment.value) else {
                errors.write(PawlCommand.helpMessage() + "\n")
                return .usage
            }
            if let warning = CommandDefaults.warning(for: arguments, about: Environment.entries) { warn(warning) }
            return try await command.execute(in: self)
        } catch {
            var words = (try? PawlCommand.withCommand(arguments)) ?? arguments
            let denied = CommandDefaults.takeBack(&words)
            let defaults = try? CommandDefaults(for: words, without: denied, environment: Environment.value)
            let isUsage = error is UsageError || PawlCommand.exitCode(for: error) == .validationFailure
            // What is wrong may be a default rather than what was typed.
            if isUsage, let problem = defaults?.problem {
                complain(problem.message)
                return .usage
            }
            let code = reportKnown(error) ?? reportParsing(error, arguments)
            if code == .usage, let places = defaults?.places { say(places) }
            return code
        }
    }

    /// Help and the version are `Error`s too, as ArgumentParser has it, and go to stdout.
    private func reportParsing(_ error: any Error, _ arguments: [String]) -> ExitCode {
        let code = PawlCommand.exitCode(for: error)
        if code.isSuccess {
            return write(PawlCommand.fullMessage(for: error) + "\n")
        }
        complain(PawlCommand.message(for: error))
        guard code == .validationFailure else { return .failure }
        let command = arguments.first { PawlCommand.names.containsExactly($0) } ?? "get"
        say("See “pawl \(command) --help”.")
        return .usage
    }
}
