import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// How a file is downloaded, and when it is refused.
struct TransferOptions: RequestOptions {
    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum number of connections, 1 to 16. They are added only while they increase throughput.",
            valueName: "number"))
    var connections = 8

    @Option(
        help: ArgumentHelp(
            "Fail unless the file has this checksum. ALGO is sha-256, sha-512, sha-1 or md5.", valueName: "ALGO:HEX"))
    var checksum: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Refuse files larger than this: 700M, 4GB.", valueName: "size"))
    var maxFilesize: String?

    @Option(
        help: ArgumentHelp(
            "What to do if the file has changed on the server: set the old data aside and restart, or fail.",
            valueName: "policy"))
    var onChange = ChangePolicy.restart

    @Flag(help: "Resume a partial file of another program, after comparing its end with the server's.")
    var adopt = false

    @Flag(help: "Follow redirects from https to http, without credentials.")
    var allowInsecureRedirect = false

    @Flag(help: "Store a web page although the URL names another kind of file.")
    var allowWebPage = false

    @Flag(
        help: "Fail if neither a length, a clear end of the response, nor a checksum proves that the file is complete.")
    var requireComplete = false

    func apply(to job: inout JobSpec) throws(UsageError) {
        guard (1...16).contains(connections) else {
            throw UsageError("-x takes a number of connections from 1 to 16, not \(connections).")
        }
        job.options.maximumConnections = connections
        if let checksum { job.options.digest = try ChecksumOption.parse(checksum) }
        if let maxFilesize {
            job.options.maximumFileSize = try UsageError.value(of: "--max-filesize", maxFilesize, OptionText.size)
        }
        job.options.onChange = onChange
        job.options.adoptsPartialFile = adopt
        job.options.allowsInsecureRedirect = allowInsecureRedirect
        job.options.allowsWebPage = allowWebPage
        job.options.requiresComplete = requireComplete
    }
}
