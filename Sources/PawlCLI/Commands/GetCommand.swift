import ArgumentParser
import Pawl
import PawlCore
import PawlEngine


/// The flags of `pawl get`, as typed.
struct GetCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download a file; run it again to go on after an interruption.",
        discussion: """
            The bytes so far are in NAME.part, what is known of them in NAME.pawl, both beside the file. Ctrl-C saves and stops.

            Exit codes:
            \(ExitCode.table)
            """)

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Name the file; beneath -d when it is given. Without it the server or the URL names it.", valueName: "file"))
    var output: String?

    @Option(
        name: [.customShort("d"), .customLong("directory")],
        help: ArgumentHelp("Put the file into this directory, which must exist.", valueName: "directory"))
    var directory: String?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp("At most this many connections, 1 to 16. More are used only while they help.", valueName: "number"))
    var connections = 8

    @Option(
        help: ArgumentHelp(
            "Fail unless the file hashes to this; ALGO is sha-256, sha-512, sha-1 or md5.", valueName: "ALGO:HEX"))
    var checksum: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Bytes per second, with k, M or G for powers of 1024: 500k, 2M.", valueName: "rate"))
    var maxSpeed: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Refuse a file of more bytes, with k, M or G for powers of 1024: 700M.", valueName: "size"))
    var maxFilesize: String?

    @Option(
        help: ArgumentHelp(
            "When the server has another file than the one begun: keep the old bytes aside and restart, or fail.",
            valueName: "policy"))
    var onChange = ChangePolicy.restart

    @Option(help: ArgumentHelp("When the file exists already.", valueName: "policy"))
    var ifExists = ExistingFilePolicy.fail

    @Flag(help: "Go on from a partial file that another program left, after comparing its end with the server's.")
    var adopt = false

    @Flag(help: "Follow redirects from https to http, without credentials.")
    var allowInsecureRedirect = false

    @Flag(help: "Store a web page also where the URL names another kind of file.")
    var allowWebPage = false

    @OptionGroup var server: ServerOptions

    @Flag(help: "Write one JSON object a line to stdout (docs/json-events.md).")
    var json = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Say nothing but errors.")
    var quiet = false

    func execute(in session: Session) async throws -> ExitCode {
        try await GetRun(get: resolved(isDirectory: FileKind.isDirectory), session: session).run()
    }

    /// - Parameter isDirectory: whether a path names an existing directory.
    func resolved(isDirectory: (String) -> Bool) throws(UsageError) -> ResolvedGet {
        let place = try TargetPlace(output: output, directory: directory, isDirectory: isDirectory)
        guard (1...16).contains(connections) else {
            throw UsageError("-x takes a number of connections from 1 to 16, not \(connections).")
        }
        var get = ResolvedGet(url: server.url, directory: place.directory)
        get.fileName = place.fileName
        get.headers = try server.headers()
        get.certificateFile = server.caCertificate
        get.connections = connections
        if let checksum { get.digest = try ChecksumOption.parse(checksum) }
        if let maxSpeed { get.bytesPerSecond = try SpeedLimit.parse(maxSpeed) }
        if let maxFilesize { get.maximumFileSize = try SizeLimit.parse(maxFilesize) }
        get.onChange = onChange
        get.ifExists = ifExists
        get.adopts = adopt
        get.allowsInsecureRedirect = allowInsecureRedirect
        get.allowsWebPage = allowWebPage
        get.writesJSON = json
        get.isQuiet = quiet
        return get
    }
}
