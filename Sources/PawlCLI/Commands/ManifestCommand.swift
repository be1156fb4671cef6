import PawlCore
import PawlJobs
import PawlOptions

struct ManifestCommand: Sendable {
    static let name = "manifest"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Show what has been done in a batch, what failed and why.",
        usage: [
            "pawl manifest <batch> [--json]", "pawl manifest <batch> --failed [--code <code>]...",
            "pawl manifest <batch> --missing", "pawl manifest <batch> --orphans [--delete]",
            "pawl manifest <batch> --verify",
        ],
        discussion: """
            Reads all manifests (docs/fleet.md). --failed and --missing print lines of the shards, as they are, for another batch.
            """,
        operands: [.batch { $0.batch = $1 }],
        groups: [
            .init("Network", [ServerOptions.certificate.within(\.server)]),
            .init("Network", ConnectionOptions.ofBatches.within(\.server.connection)), .others(options),
        ])

    private static let options: [OptionDeclaration<Self>] = [
        .flag("failed", \.failed, help: "Print the lines of files that have failed."),
        .texts(
            "code", "code", \.codes, help: "With --failed: only those that failed so, as 'network'. May be repeated."),
        .flag("missing", \.missing, help: "Print the lines of slices that are not committed yet."),
        .flag(
            "orphans", \.orphans, help: "List data that no manifest names: of attempts that were killed or too late."),
        .flag(
            "delete", \.delete,
            help: "With --orphans: delete the data of slices that another attempt has committed. Other data is kept."),
        .flag("verify", \.verify, help: "Read all data, and compare its lengths and digests with the manifests."),
        .flag("json", \.json, help: "Write the counts as a JSON object to stdout."),
    ]

    var batch = ""
    var failed = false
    var codes: [String] = []
    var missing = false
    var orphans = false
    var delete = false
    var verify = false
    var json = false
    /// For a store that has servers.
    var server = ServerOptions()
}
