import ArgumentParser

extension Session {
    func run(_ arguments: [String]) async -> ExitCode {
        if let page = HelpTopic.answer(to: arguments, columns: HelpTopic.columns(terminal: Terminal.size.columns)) { return write(page) }
        do {
            // What shells ask for; the answer is thrown.
            if arguments.first == "---completion" { _ = try await PawlCommand.asyncParseAsRoot(arguments) }
            guard let command = try PawlCommand.subcommand(from: arguments) else {
                errors.write(PawlCommand.helpMessage() + "\n")
                return .usage
            }
            return try await command.execute(in: self)
        } catch {
            return report(error)
        }
    }

    private func report(_ error: any Error) -> ExitCode { reportKnown(error) ?? reportParsing(error) }

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
}
