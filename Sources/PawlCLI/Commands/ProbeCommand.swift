import PawlOptions

struct ProbeCommand: Sendable {
    static let name = "probe"
    static let declaration = CommandDeclaration<Self>(
        name,
        summary: "Show what a server says about a URL: length, ranges, validator, name, and how HEAD differs from GET.",
        usage: ["pawl probe [<options>] <url>"], discussion: "Makes two requests and stores nothing.",
        operands: [.init("url", help: "An absolute http or https URL.") { $0.url = $1 }],
        groups: ServerOptions.groups(\.words, \.server) + [
            .init("Output", ServerOptions.output.within(\.server)),
            .others([.flag("json", \.json, help: "Write one JSON object to stdout (docs/json-events.md).")]),
        ])

    var url = ""
    var words = TypedJob()
    var server = ServerOptions()
    var json = false
}
