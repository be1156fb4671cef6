import ArgumentParser

/// Several files: which, and how many at once.
struct QueueOptions: ParsableArguments, Sendable {
    @OptionGroup var input: InputOptions

    @Option(
        name: [.customShort("j", allowingJoined: true), .customLong("jobs")], parsing: .unconditional,
        help: ArgumentHelp("Maximum number of files at once.", valueName: "number"))
    var jobs = 5

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum number of connections to one host, for all files together.", valueName: "number"))
    var perHost = 8

    @Flag(help: "Stop at the first failure, and keep the progress of the others.")
    var failFast = false

    @Flag(help: "Show what would be downloaded and where to, and download nothing.")
    var dryRun = false

    var inputFile: [String] { input.inputFile }
    var noGlob: Bool { input.noGlob }

    func validate() throws {
        guard (1...100).contains(jobs) else {
            throw ValidationError("-j takes a number of files from 1 to 100, not \(jobs).")
        }
        guard (1...100).contains(perHost) else {
            throw ValidationError("--per-host takes a number of connections from 1 to 100, not \(perHost).")
        }
    }
}

/// Where URLs come from, beside the command line.
struct InputOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("i", allowingJoined: true), .customLong("input-file")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Download the URLs in this list; - is standard input.", valueName: "list"),
        completion: .file())
    var inputFile: [String] = []

    @Flag(help: "Do not expand [1-9], [a-f] and {one,two} in URLs.")
    var noGlob = false
}
