import ArgumentParser
import Pawl


/// Where the file goes.
struct TargetOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Name the file; beneath -d when it is given. Without it the server or the URL names it.", valueName: "file"))
    var output: String?

    @Option(
        name: [.customShort("d"), .customLong("directory")],
        help: ArgumentHelp("Put the file into this directory, which must exist.", valueName: "directory"))
    var directory: String?
}
