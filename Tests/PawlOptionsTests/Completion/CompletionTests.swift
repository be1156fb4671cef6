import PawlCore
import Testing

/// The scripts in the shells that are installed.
@Suite struct CompletionTests {
    private static let listing = CompletingShell.Kind.installed.filter { $0 != .zsh }

    private func check(
        _ kind: CompletingShell.Kind, _ expected: [(line: String, candidates: [String])]
    ) async throws {
        let found = try await CompletingShell(kind).complete(expected.map(\.line))
        try #require(found.count == expected.count, "\(found)")
        for ((line, candidates), found) in zip(expected, found) {
            #expect(found.sorted() == candidates.sorted(), "“\(line)” in \(kind)")
        }
    }

    @Test(arguments: listing)
    func `the first word is a command, and a line without one has the options of the usual command`(
        kind: CompletingShell.Kind
    ) async throws {
        try await check(
            kind,
            [
                ("pawl ", ["get", "add", "help"]), ("pawl ad", ["add"]), ("pawl --sy", ["--sync"]),
                ("pawl -q --sync g", ["group"]), ("pawl https://a.example:80/x@y --sy", ["--sync"]),
                ("pawl add --sy", []), ("pawl get ", []), ("pawl help ta", ["target"]), ("pawl help ad", ["add"]),
                ("pawl help target ad", []),
            ])
    }

    @Test(arguments: listing)
    func `options that were given are offered again only if they repeat, and none after two hyphens`(
        kind: CompletingShell.Kind
    ) async throws {
        try await check(
            kind,
            [
                (
                    "pawl get --",
                    [
                        "--quiet", "--output", "--into", "--sync", "--odd", "--header", "--service", "--id",
                    ]
                ),
                (
                    "pawl get -qx 4 --output a --sync=file -",
                    [
                        "-d", "--into", "--odd", "--header", "--service", "--id",
                    ]
                ),
                ("pawl get --header a --he", ["--header"]), ("pawl get -o -q --qu", ["--quiet"]),
                ("pawl add -i a -", ["-i", "--input"]), ("pawl get -- --", []),
            ])
    }

    @Test(arguments: listing)
    func `values are completed after a blank, after an equals sign, and behind letters`(
        kind: CompletingShell.Kind
    ) async throws {
        try await check(
            kind,
            [
                ("pawl get --sync ", ["file", "group", "none"]), ("pawl get --sync=", ["file", "group", "none"]),
                ("pawl get --sync=g", ["group"]), ("pawl get -o plai", ["plain"]),
                ("pawl get --output=plai", ["plain"]),
                ("pawl get -qo plai", ["plain"]), ("pawl get -o a -o plai", ["plain"]),
                ("pawl get --output my\\ f", ["my file"]), ("pawl get -d ", ["place"]),
                ("pawl get --into=pl", ["place"]), ("pawl get -x ", []), ("pawl add pl", ["place", "plain"]),
                ("pawl add -- pl", ["place", "plain"]), ("pawl add plain 1", ["1a2b", "1a3c"]),
            ])
    }

    @Test
    func `bash also completes values joined to a letter, quotes words, and offers options where no operand can stand`()
        async throws
    {
        try await check(
            .bash,
            [
                ("pawl get -opla", ["-oplace", "-oplain"]), ("pawl get -qo=plai", ["plain"]),
                ("pawl get -omy", [#"-omy\ file"#]), ("pawl get --odd i", [#"it\'s\ \$HOME"#]),
                ("pawl help target ", ["--all"]), ("pawl help -- target ", []),
                ("pawl get --odd=", [#"it\'s\ \$HOME"#, #"\\w:x"#]),
            ])
    }

    @Test(
        .enabled("zsh is not installed") { CompletingShell.Kind.installed.contains(.zsh) })
    func `zsh inserts the one candidate, and shows help as it was written`() async throws {
        let expected = [
            ("pawl ad", "pawl add "), ("pawl --sy", "pawl --sync="), ("pawl get --qu", "pawl get --quiet "),
            ("pawl get -q --sync g", "pawl get -q --sync group "), ("pawl --sync=g", "pawl --sync=group "),
            ("pawl get -qoplai", "pawl get -qoplain "), ("pawl get --output=my", #"pawl get --output=my\ file "#),
            ("pawl get -d pl", "pawl get -d place/"), ("pawl add plain f", "pawl add plain ffff "),
            ("pawl get --id=1", "pawl get --id=1a"), ("pawl get --odd=i", #"pawl get --odd=it\'s\ \$HOME "#),
            ("pawl get -- --q", "pawl get -- --q"), ("pawl help ta", "pawl help target "),
            ("pawl ", "pawl "), ("pawl get -", "pawl get -"), ("pawl get -q -", "pawl get -q -"),
        ]
        let found = try await CompletingShell(.zsh).complete(expected.map(\.0))
        try #require(found.count == expected.count, "\(found)")
        for ((line, completed), found) in zip(expected, found) { #expect(found.first == completed, "“\(line)”") }
        let shown = found.suffix(3).map { $0.last ?? "" }
        #expect(shown[0].contains(#"get -- Download: "fast", `x` $HOME \z it's [b] 50%. add -- Add."#))
        #expect(shown[1].contains(#"--quiet -q -- Quiet: [a] "b" \z `x` $H it's."#))
        #expect(shown[1].contains("--sync -- Two lines."))
        #expect(!shown[2].contains("--quiet") && shown[2].contains("--header"))
    }

    @Test(arguments: CompletingShell.Kind.installed)
    func `the program is asked with the beginning of the value and the words before it`(
        kind: CompletingShell.Kind
    ) async throws {
        let shell = try CompletingShell(kind)
        let found = try await shell.complete(["pawl add https://a.example:80/x --service=/run/x:1 ff", "pawl --id "])
        try #require(found.count == 2)
        #expect(found[0].first?.ends(with: kind == .zsh ? "ffff " : "ffff") == true)
        #expect(
            shell.calls == [
                "---complete|ids|--|ff|add|https://a.example:80/x|--service=/run/x:1", "---complete|ids|--||--id",
            ])
    }
}
