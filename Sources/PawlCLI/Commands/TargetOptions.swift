import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Where files go.
struct TargetOptions: RequestOptions {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        help: ArgumentHelp(
            "Name the file, beneath -d if that is given; '#1' is what the URL's first pattern chose.",
            valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("directory")],
        help: ArgumentHelp("Put files into this existing directory.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Flag(help: "Create the directory of -d, and those that -o names, if they do not exist.")
    var createDirs = false

    @Option(
        help: ArgumentHelp("When a file already exists; with --extract also for the directory, whose contents 'replace' deletes. The default is skip for several files and with --extract.", valueName: "policy"))
    var ifExists: ExistingFilePolicy?

    func apply(to job: inout JobSpec) { job.ifExists = ifExists }
}
