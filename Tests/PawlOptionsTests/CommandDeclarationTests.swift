import PawlOptions
import Testing

@Suite struct CommandDeclarationTests {
    private struct Values {
        var connections = 8
        var policy = "group"
        var user: String?
    }

    private static let command = CommandDeclaration<Values>(
        "fetch",
        summary: "Fetch files; rerun to resume, as often as is needed, from wherever the last run has stopped.",
        usage: ["pawl fetch [<options>] <url> ...", "pawl fetch [<options>] -i <list>"],
        discussion: "Ctrl-C saves the progress and stops.\n\n  pawl fetch URL",
        operands: [.init("urls", help: "Absolute http or https URLs. [01-20], [a-f] and {one,two} expand to several.")],
        groups: [
            .init(
                "Transfer",
                [
                    .init(
                        "connections", letter: "x", .value("number"), initial: "8",
                        help:
                            "Maximum number of connections, 1 to 16. They are added only while they increase throughput."
                    ) { (values, text) in values.connections = Int(text) ?? 0 },
                    .init(
                        "sync", .value("policy"), choices: ["file", "group", "none"], initial: "group",
                        help: "When files are synced."
                    ) { (values, text) in values.policy = text },
                ]),
            .init("Server", [.init("user", .value("name:secret"), help: "Log in.") { $0.user = $1 }]),
            .init("Transfer", [.init("quiet", letter: "q", help: "Show only errors.") { (_, _) in }]),
        ])

    @Test func `help has a column of names and a column of sentences`() {
        #expect(
            Self.command.help(columns: 80) == """
                OVERVIEW: Fetch files; rerun to resume, as often as is needed, from wherever the
                last run has stopped.

                Ctrl-C saves the progress and stops.

                  pawl fetch URL

                USAGE: pawl fetch [<options>] <url> ...
                       pawl fetch [<options>] -i <list>

                ARGUMENTS:
                  <urls>                  Absolute http or https URLs. [01-20], [a-f] and
                                          {one,two} expand to several.

                TRANSFER:
                  -x, --connections <number>
                                          Maximum number of connections, 1 to 16. They are
                                          added only while they increase throughput. (default:
                                          8)
                  --sync <policy>         When files are synced. (values: file, group, none;
                                          default: group)
                  -q, --quiet             Show only errors.

                SERVER:
                  --user <name:secret>    Log in.

                """)
    }

    @Test func `a command reads its words by its own options`() throws {
        var values = Values()
        #expect(try Self.command.reader.read(["-x4", "a", "--user=me"], into: &values) == ["a"])
        #expect(values.connections == 4 && values.user == "me")
    }
}
