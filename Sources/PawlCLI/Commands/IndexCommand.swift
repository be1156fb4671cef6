import PawlJobs
import PawlOptions

struct IndexCommand: Sendable {
    static let name = "index"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Print the links of a directory page, as a list for 'pawl get -i'.",
        usage: ["pawl index [<options>] <url>"],
        discussion: """
            Prints the links beneath the URL's path on its server, one per line: of pages as Apache, nginx, Caddy and IIS make them, and of S3's lists of \
            objects. Downloads nothing. What the server's robots.txt keeps from 'pawl' is left out.
            """,
        operands: [.init("url", help: "An absolute http or https URL.") { $0.url = $1 }],
        groups: [.init("Pages", [depth])] + ServerOptions.groups(\.words, \.server) + [
            .init("Output", ServerOptions.output.within(\.server)), .others(),
        ])

    private static let depth = OptionDeclaration<Self>.value(
        "depth", "number", \.depth, initial: "0",
        help: "Also read the pages of directories, up to this depth beneath the URL.",
        read: OptionText.number(0...100)
    )

    var url = ""
    var depth = 0
    var words = TypedJob()
    var server = ServerOptions()
}
