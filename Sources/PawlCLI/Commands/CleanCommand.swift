import PawlJobs
import PawlOptions

struct CleanCommand: Sendable {
    static let name = "clean"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Remove what downloads have left behind.",
        usage: ["pawl clean [<dir>] [--unfinished] [--recursive] [--older-than <time>] [--dry-run] [--yes]"],
        discussion: """
            Removes NAME.part.orphan-1 (set aside because the file changed on the server), NAME.part.bad (the checksum did not match), journals \
            without a partial file, and directories NAME.part that a killed unpacking left, if Pawl has marked them as its own. Lists them and asks first. 'pawl list --partial' only lists them.
            """,
        operands: [
            .init("dir", help: "The directory. (default: .)", isOptional: true, completion: .directory) {
                (command, text) throws(OptionValueProblem) in
                guard !text.isEmpty else {
                    throw OptionValueProblem(
                        accepted: "the name of a directory, which is empty here; '.' is the working directory")
                }
                command.directory = text
            }
        ],
        groups: [.others(options)])

    private static let options: [OptionDeclaration<Self>] = [
        .flag(
            "unfinished", \.unfinished,
            help:
                "Also remove unfinished downloads, which then start from the beginning. Running ones are kept."
        ),
        .flag(
            "recursive", letter: "r", \.recursive, help: "Also in subdirectories. Links are not followed."),
        .value(
            "older-than", "time", \.olderThan,
            help: "Only files and directories unchanged for at least this long: 12h, 30d."
        ) { (text) throws(OptionValueProblem) in
            // Without a unit, days or seconds may be meant.
            guard OptionText.wholeNumber(text) == nil, let age = try? OptionText.time(text) else {
                throw OptionValueProblem(accepted: "a whole number above zero with s, m, h or d: 12h, 30d")
            }
            return age
        },
        .flag("dry-run", letter: "n", \.dryRun, help: "List what would be removed, and remove nothing."),
        .flag("yes", letter: "y", \.yes, help: "Do not ask."),
    ]

    var directory = "."
    var unfinished = false
    var recursive = false
    var olderThan = Duration.zero
    var dryRun = false
    var yes = false
}
