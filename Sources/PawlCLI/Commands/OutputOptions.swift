import ArgumentParser

/// What is said, and how.
struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Write one JSON object a line to stdout (docs/json-events.md).")
    var json = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Say nothing but errors.")
    var quiet = false
}
