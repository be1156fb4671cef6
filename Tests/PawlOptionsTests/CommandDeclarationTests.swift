import PawlCore
import PawlOptions
import Testing

@Suite struct CommandDeclarationTests {
    private struct Values {
        var connections = 8
        var policy = "group"
        var user: String?
        var urls: [String] = []
    }

    private static let command = CommandDeclaration<Values>(
        "fetch",
        summary: "Fetch files; rerun to resume, as often as is needed, from wherever the last run has stopped.",
        usage: ["pawl fetch [<options>] <url> ...", "pawl fetch [<options>] -i <list>"],
        discussion: "Ctrl-C saves the progress and stops.\n\n  pawl fetch URL",
        operands: [
            .init(
                "urls", help: "Absolute http or https URLs. [01-20], [a-f] and {one,two} expand to several.",
                isRepeated: true
            ) { $0.urls.append($1) }
        ],
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
            .init(
                "Transfer",
                [
                    .init("quiet", letter: "q", help: "Show only errors.", isNegatable: true) { (_, _) in },
                    .init("secret", help: "") { (_, _) in },
                ]),
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
                                          Maximum number of connections, 1 to 16. They are added
                                          only while they increase throughput. (default: 8)
                  --sync <policy>         When files are synced. (values: file, group, none;
                                          default: group)
                  -q, --quiet/--no-quiet  Show only errors.

                SERVER:
                  --user <name:secret>    Log in.

                """)
    }

    @Test func `a command reads its words by its own options`() throws {
        var values = Values()
        #expect(try Self.command.reader.read(["-x4", "a", "--user=me"], into: &values) == ["a"])
        #expect(values.connections == 4 && values.user == "me")
    }

    private func problem(_ words: String..., of command: CommandDeclaration<Values>) -> String? {
        var values = Values()
        do throws(CommandLineProblem) {
            try command.read(words, into: &values)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `operands are taken in order, and the last one may be repeated`() throws {
        var values = Values()
        try Self.command.read(["a", "-q", "--", "-b"], into: &values)
        #expect(values.urls == ["a", "-b"])
        let policy = CommandDeclaration<Values>.Operand("policy", help: "") {
            (values, text) throws(OptionValueProblem) in
            guard text == "none" else { throw OptionValueProblem(oneOf: ["none"]) }
            values.policy = text
        }
        let two = CommandDeclaration<Values>(
            "two", summary: "", usage: [],
            operands: [policy, .init("url", help: "", isOptional: true) { $0.urls.append($1) }], groups: [])
        values = Values()
        try two.read(["none", "a"], into: &values)
        #expect(values.policy == "none" && values.urls == ["a"])
        #expect(problem("none", of: two) == nil)
        #expect(problem(of: two) == "An argument is missing: <policy>.")
        #expect(problem("all", of: two) == "<policy> takes one of none.")
        #expect(problem("none", "a", "b", of: two) == "There is one argument too many.")
        #expect(problem("none", "a", "b", "c", of: two) == "There are 2 arguments too many.")
        #expect(problem(of: Self.command) == "An argument is missing: <urls>.")
    }

    @Test func `an option of a part is one of the whole, with the effect and the help that the whole gives it`() throws
    {
        struct Whole { var part = Values() }
        let user = OptionDeclaration<Values>.text("user", letter: "u", "name", \.user, help: "Log in.")
        let lifted: OptionDeclaration<Whole> = user.within(\.part)
        var whole = Whole()
        _ = try CommandLineReader([lifted]).read(["-u", "me"], into: &whole)
        #expect(whole.part.user == "me" && lifted.spellings == ["-u", "--user"])
        let other = lifted.described("Who asks.").setting { (whole, text) in whole.part.policy = text }
        _ = try CommandLineReader([other]).read(["-u", "you"], into: &whole)
        #expect(whole.part.user == "me" && whole.part.policy == "you" && other.help == "Who asks.")
    }

    @Test func `a description says what the declaration says`() throws {
        let described = Self.command.described
        #expect(described.operands.map(\.name) == ["urls"] && described.operands[0].isRepeated)
        #expect(described.options.map(\.title) == ["Transfer", "Transfer", "Server", "Transfer"])
        #expect(described.options[0].spellings == ["-x", "--connections"] && described.options[0].value == "number")
        #expect(described.options[1].choices == ["file", "group", "none"] && described.options[3].value == nil)
        #expect(described.options[3].spellings == ["-q", "--quiet", "--no-quiet"])
        #expect(described.json.encoded.contains(#""spellings":["-x","--connections"]"#))
    }
}
