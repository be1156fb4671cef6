import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// How a file is downloaded, and when it is refused.
struct TransferOptions: RequestOptions {
    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp("At most this many connections, 1 to 16. They are added only while they increase throughput.", valueName: "number"))
    var connections = 8

    @Option(
        help: ArgumentHelp(
            "Fail unless the file hashes to this; ALGO is sha-256, sha-512, sha-1 or md5.", valueName: "ALGO:HEX"))
    var checksum: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Refuse a larger file: 700M, 4GB.", valueName: "size"))
    var maxFilesize: String?

    @Option(
        help: ArgumentHelp(
            "When the file has changed on the server: set the old data aside and restart, or fail.",
            valueName: "policy"))
    var onChange = ChangePolicy.restart

    @Flag(help: "Resume a partial file that another program left, after comparing its end with the server's.")
    var adopt = false

    @Flag(help: "Follow redirects from https to http, without credentials.")
    var allowInsecureRedirect = false

    @Flag(help: "Accept a web page where the URL names another kind of file.")
    var allowWebPage = false

    @Flag(help: "Fail when the server gives neither a length nor a clear end and no checksum shows that all bytes came.")
    var requireComplete = false

    func apply(to job: inout JobSpec) throws(UsageError) {
        guard (1...16).contains(connections) else {
            throw UsageError("-x takes a number of connections from 1 to 16, not \(connections).")
        }
        job.options.maximumConnections = connections
        if let checksum { job.options.digest = try ChecksumOption.parse(checksum) }
        if let maxFilesize { job.options.maximumFileSize = try UsageError.value(of: "--max-filesize", maxFilesize, OptionText.size) }
        job.options.onChange = onChange
        job.options.adoptsPartialFile = adopt
        job.options.allowsInsecureRedirect = allowInsecureRedirect
        job.options.allowsWebPage = allowWebPage
        job.options.requiresComplete = requireComplete
    }
}
