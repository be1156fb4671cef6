import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Where files go.
struct TargetOptions: RequestOptions {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        help: ArgumentHelp(
            "Name of the file, beneath -d; - is standard output.",
            valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("directory")],
        help: ArgumentHelp("Directory for the files. It must exist.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Flag(help: "Create the directory of -d, and those that -o names, if they do not exist.")
    var createDirs = false

    @Option(
        help: ArgumentHelp(
            "What to do if a file exists; with --extract also for the directory, whose contents 'replace' deletes. Default: fail; skip for several files and with --extract.",
            valueName: "policy"))
    var ifExists: ExistingFilePolicy?

    func apply(to job: inout JobSpec) { job.ifExists = ifExists }
}
