import PawlOptions

/// A program with a few commands, whose help has every character that a shell may take for its own.
enum SmallProgram {
    static let script = CompletionScript(
        program: "pawl",
        commands: [
            DescribedCommand(
                "get", summary: #"Download: "fast", `x` $HOME \z it's [b] 50%."#,
                options: [
                    DescribedOption(names: ["-q", "--quiet"], help: #"Quiet: [a] "b" \z `x` $H it's."#),
                    DescribedOption(names: ["-o", "--output"], help: "Name.", label: "file", value: .file),
                    DescribedOption(names: ["-d", "--into"], help: "Place.", label: "dir", value: .directory),
                    DescribedOption(names: ["-x"], help: "Connections.", label: "number", value: .any),
                    DescribedOption(
                        names: ["--sync"], help: "Two\nlines.", label: "policy",
                        value: .words(["file", "group", "none"])
                    ),
                    DescribedOption(
                        names: ["--odd"], help: "Odd.", label: "a: b", value: .words(["it's $HOME", #"\w:x"#])),
                    DescribedOption(
                        names: ["--header"], help: "Field.", label: "Name: value", value: .any, repeats: true),
                    DescribedOption(names: ["--service"], help: "Service.", label: "socket", value: .file),
                    DescribedOption(names: ["--id"], help: "Download.", label: "id", value: .called(["ids"])),
                ],
                operands: [DescribedOperand("url", repeats: true)]),
            DescribedCommand(
                "add", summary: "Add.",
                options: [
                    DescribedOption(
                        names: ["-i", "--input"], help: "List.", label: "list", value: .file, repeats: true)
                ],
                operands: [
                    DescribedOperand("list", value: .file),
                    DescribedOperand("id", value: .called(["ids"]), repeats: true),
                ]),
            DescribedCommand(
                "help", summary: "Explain.", options: [DescribedOption(names: ["--all"], help: "All.")],
                operands: [DescribedOperand("word", value: .file)]),
        ], usual: "get", helpTopics: [DescribedTopic("target", summary: "names, and: files")])
}
