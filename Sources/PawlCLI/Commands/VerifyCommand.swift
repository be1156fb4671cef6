import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlMetalink

struct VerifyCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check files against checksums or a Metalink, and repair them.",
        discussion: """
            Exit code 0: all match. 6: one does not. 8: one cannot be read.

            With --repair, the pieces that are wrong are fetched again and nothing else: pawl verify --repair FILE URL --metalink FILE.meta4. The file is \
            replaced when the repaired one is whole, and not touched before.
            """)

    @Argument(
        help: ArgumentHelp(
            "The files to check. With --repair: one file, followed by URLs to download it from.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("The expected checksum. ALGO is sha-256, sha-512, sha-1 or md5.", valueName: "ALGO:HEX"))
    var checksum: String?

    @OptionGroup var list: ChecksumFileOption

    @Option(
        help: ArgumentHelp(
            "Check against what this Metalink document says of the file: length, pieces, checksum.",
            valueName: "file or url"), completion: .file())
    var metalink: String?

    @Flag(help: "Download the wrong pieces again. The Metalink must have piece hashes.")
    var repair = false

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions
    @OptionGroup(title: "Output") var defaults: DefaultsOptions

    @Flag(help: "Write JSON objects to stdout, one per line (docs/json-events.md).")
    var json = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Show only errors.")
    var quiet = false

    /// All groups that change the request or the configuration: a new one is added here.
    var groups: [any RequestOptions] { [server, connection, credentials, caller, verbosity] }
}
