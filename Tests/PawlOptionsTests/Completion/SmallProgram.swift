@testable import PawlOptions

/// A program with a few commands, whose help has every character that a shell may take for its own.
enum SmallProgram {
    static let script = CompletionScript(
        program: "pawl",
        commands: [
            CommandDescription(
                name: "get", summary: #"Download: "fast", `x` $HOME \z it's [b] 50%."#,
                operands: [.init(name: "url", isRepeated: true)],
                options: [
                    .init(spellings: ["-q", "--quiet"], help: #"Quiet: [a] "b" \z `x` $H it's."#),
                    .init(spellings: ["-o", "--output"], help: "Name.", value: "file", completion: .file),
                    .init(spellings: ["-d", "--into"], help: "Place.", value: "dir", completion: .directory),
                    .init(spellings: ["-x"], help: "Connections.", value: "number"),
                    .init(
                        spellings: ["--sync"], help: "Two\nlines.", value: "policy", choices: ["file", "group", "none"]),
                    .init(
                        spellings: ["--odd"], help: "Odd.", value: "a: b",
                        completion: .words(["it's $HOME", #"\w:x"#])),
                    .init(spellings: ["--header"], help: "Field.", value: "Name: value", isRepeated: true),
                    .init(spellings: ["--service"], help: "Service.", value: "socket", completion: .file),
                    .init(spellings: ["--id"], help: "Download.", value: "id", completion: .ids),
                ]),
            CommandDescription(
                name: "add", summary: "Add.",
                operands: [
                    .init(name: "list", completion: .file), .init(name: "id", isRepeated: true, completion: .ids),
                ],
                options: [
                    .init(
                        spellings: ["-i", "--input"], help: "List.", value: "list", isRepeated: true, completion: .file)
                ]),
            CommandDescription(
                name: "help", summary: "Explain.", operands: [.init(name: "word", completion: .file)],
                options: [.init(spellings: ["--all"], help: "All.")]),
        ], usual: "get", helpTopics: [.init("target", summary: "names, and: files")])
}
