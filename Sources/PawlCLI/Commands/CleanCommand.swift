import ArgumentParser
import PawlCore
import PawlJobs

struct CleanCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove what downloads have left behind.",
        discussion: """
            Removes NAME.part.orphan-1 (set aside because the file changed on the server), NAME.part.bad (the checksum did not match), journals \
            without a partial file, and directories NAME.part that a killed unpacking left, if Pawl has marked them as its own. Lists them and asks first. 'pawl list --partial' only lists them.
            """)

    @Argument(help: ArgumentHelp("The directory.", valueName: "dir"), completion: .directory)
    var directory = "."

    @Flag(
        help:
            "Also remove unfinished downloads, which then start from the beginning. Those that a process is working on stay."
    )
    var unfinished = false

    @Flag(name: .shortAndLong, help: "Also in the directories beneath. Links are not followed.")
    var recursive = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only what has not changed for this long: 12h, 30d.", valueName: "time"))
    var olderThan: String?

    @Flag(name: [.customShort("n"), .long], help: "List what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func validate() throws {
        if directory.isEmpty {
            throw ValidationError("The name of the directory is empty; '.' is the working directory.")
        }
    }
}
