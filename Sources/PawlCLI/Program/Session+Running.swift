import PawlCore
import PawlJobs
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
            if let candidates = await ShellCompletions.answer(to: arguments) { return write(candidates) }
            // scripts/man.
            if arguments.first == "---coming-from" { return write(PeerOption.page) }
            if arguments.first == "---tables" { return write(ReferenceTables.json.encoded) }
            let arguments = try PawlCommand.withCommand(arguments)
            let columns = HelpTopic.columns(terminal: Terminal.size.columns)
            if let page = HelpTopic.answer(to: arguments, columns: columns)
                ?? PawlCommand.answer(to: arguments, columns: columns)
            {
                return write(page)
            }
            guard let command = try PawlCommand.subcommand(from: arguments, environment: Environment.value) else {
                errors.write(PawlCommand.help(columns: columns))
                return .usage
            }
            if let warning = CommandDefaults.warning(for: arguments, about: Environment.entries) { warn(warning) }
            return try await command.execute(in: self)
        } catch {
            var words = (try? PawlCommand.withCommand(arguments)) ?? arguments
            let denied = CommandDefaults.takeBack(&words)
            let defaults = try? CommandDefaults(for: words, without: denied, environment: Environment.value)
            // What is wrong may be a default rather than what was typed.
            if error is UsageError, let problem = defaults?.problem {
                complain(problem.message)
                return .usage
            }
            guard let code = reportKnown(error) else {
                complain("\(error)")
                return .failure
            }
            if code == .usage, let places = defaults?.places { say(places) }
            return code
        }
    }
}
