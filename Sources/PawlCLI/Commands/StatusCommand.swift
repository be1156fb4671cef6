import PawlOptions

struct StatusCommand: Sendable {
    static let name = "status"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Show how much of an unfinished download is stored, whether it is running or not.",
        usage: ["pawl status <file> [--json]"], discussion: "Nothing is changed.",
        operands: [
            .init("file", help: "The file, its partial file (.part) or its journal (.pawl).", completion: .file) {
                $0.file = $1
            }
        ],
        groups: [.others([.flag("json", \.json, help: "Write one JSON object to stdout (docs/json-events.md).")])])

    var file = ""
    var json = false
}
