import ArgumentParser
import Pawl

/// What to run when a download has ended.
struct HookOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Run a program after each download that has completed or failed. No shell: words are split at blanks, quotes keep them together.",
            valueName: "command"))
    var onComplete: String?

    /// The command, looked for before anything is downloaded.
    ///
    /// - Parameter find: the path of a program by its name; nil where there is none that can be run.
    func command(find: (String) -> String? = HookCommand.find) throws(UsageError) -> HookCommand? {
        guard let onComplete else { return nil }
        guard let words = ShellWords.split(onComplete), let program = words.first, !program.isEmpty else {
            throw UsageError("--on-complete takes a program and its arguments, with each quote closed.")
        }
        guard let path = find(program) else {
            throw UsageError("--on-complete “\(program)”: there is no such program that can be run. Give its path, or look at PATH.")
        }
        return HookCommand(path: path, words: words)
    }
}
