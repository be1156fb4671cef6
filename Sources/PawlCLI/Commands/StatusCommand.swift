import ArgumentParser
import Pawl
import PawlCore

struct StatusCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how much of an unfinished download is stored, whether it is running or not.",
        discussion: "Nothing is changed.")

    @Argument(help: "The file, its partial file (.part) or its journal (.pawl).", completion: .file())
    var file: String

    @Flag(help: "Write one JSON object to stdout (docs/json-events.md).")
    var json = false
}
