import ArgumentParser
import PawlJobs

/// What to run when a download has ended.
struct HookOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Run a program after each download, whether completed or failed. No shell is involved: blanks separate words, quotes keep them together.",
            valueName: "command"))
    var onComplete: String?

    func apply(to job: inout JobSpec) throws(UsageError) {
        guard let onComplete else { return }
        guard let words = ShellWords.split(onComplete), words.first?.isEmpty == false else {
            throw UsageError("--on-complete takes a program and its arguments, with each quote closed.")
        }
        job.hook = words
    }
}
