import PawlOptions

struct ConfigCommand: Sendable {
    static let name = "config"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Show the configuration file, the options that are set, and where.",
        usage: ["pawl config [--all] [--json] [--file <file>]", "pawl config --check [--json] [--file <file>]"],
        discussion: """
            The table [get] has defaults of pawl get, which variables such as PAWL_RETRIES override; the lines in front of it are the service's. Logins in URLs are not shown.

            Exit code 64: the file or a variable cannot be used.
            """,
        groups: [.others(options)])

    private static let options: [OptionDeclaration<Self>] = [
        .flag("all", \.all, help: "Also show the defaults of pawl get that are not set."),
        .flag(
            "check", \.checks, help: "Show only errors, each with its line. 'pawld --check' checks more."),
        .text(
            "file", "file", \.file, help: "Read this file instead of pawl/config.toml in $XDG_CONFIG_HOME.",
            completion: .file),
        .flag("json", \.json, help: "Write one JSON object to stdout (docs/json-events.md)."),
    ]

    var all = false
    var checks = false
    var file: String?
    var json = false

    func check() throws(UsageError) {
        guard !(all && checks) else { throw UsageError("--all and --check exclude each other: give one of them.") }
    }
}
