import PawlConfiguration
import PawlCore
import PawlSystem

extension ConfigCommand: Subcommand {
    func execute(in session: Session) throws -> ExitCode {
        if let file, FileKind(path: file) == .missing { throw UsageError("There is no file “\(file)”.") }
        let report = ConfigReport(file: file, environment: Environment.value)
        let locale = Locale.current
        let text =
            if json {
                report.json(all: all, check: checks).encoded + "\n"
            } else if checks {
                report.problems.isEmpty ? report.validity(in: locale) : ""
            } else {
                report.text(all: all, in: locale)
            }
        let code = session.write(text)
        if let warning = CommandDefaults.warning(for: ["get"], about: Environment.entries) { session.warn(warning) }
        for problem in report.problems { session.complain(problem.message) }
        return report.problems.isEmpty ? code : .usage
    }
}
