import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Where files go.
struct TargetOptions: RequestOptions {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Name the file, beneath -d if that is given; '#1' is what the URL's first pattern chose.",
            valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: [.customShort("d"), .customLong("directory")],
        help: ArgumentHelp("Put files into this existing directory.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp("When a file exists already; with --extract the directory too, which 'replace' replaces with all in it. With several files, or --extract, the default is skip.", valueName: "policy"))
    var ifExists: ExistingFilePolicy?

    func apply(to job: inout JobSpec) { job.ifExists = ifExists }
}
