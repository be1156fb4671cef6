import ArgumentParser

/// Several files: which, and how many at once.
struct QueueOptions: ParsableArguments, Sendable {
    @OptionGroup var input: InputOptions

    @Option(
        name: [.customShort("j", allowingJoined: true), .customLong("jobs")], parsing: .unconditional,
        help: ArgumentHelp("At most this many files at once.", valueName: "number"))
    var jobs = 5

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("At most this many connections to one host, all files together.", valueName: "number"))
    var perHost = 8

    @Flag(help: "Stop at the first failure, and keep what the others have stored.")
    var failFast = false

    @Flag(help: "Print what would be fetched, and where it would go.")
    var dryRun = false

    var inputFile: [String] { input.inputFile }
    var noGlob: Bool { input.noGlob }

    func validate() throws {
        guard (1...100).contains(jobs) else { throw ValidationError("-j takes a number of files from 1 to 100, not \(jobs).") }
        guard (1...100).contains(perHost) else {
            throw ValidationError("--per-host takes a number of connections from 1 to 100, not \(perHost).")
        }
    }
}

/// Where URLs come from, beside the command line.
struct InputOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("i", allowingJoined: true), .customLong("input-file")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Fetch the URLs in this list; - is standard input.", valueName: "list"),
        completion: .file())
    var inputFile: [String] = []

    @Flag(help: "Take URLs as they are: no [1-9], [a-f] and {one,two} in them.")
    var noGlob = false
}
