import ArgumentParser

/// What is said, and how.
struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Write JSON objects to stdout, one per line (docs/json-events.md).")
    var json = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Show only errors.")
    var quiet = false

    @Option(help: ArgumentHelp("Colour messages: auto is on a terminal, unless $NO_COLOR is set.", valueName: "when"))
    var color = ColorChoice.auto
}

/// How `pawl get` shows progress.
struct ProgressOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Show progress as a bar, as a line every ten seconds, or not at all; auto is a bar on a terminal and lines elsewhere.",
            valueName: "kind"))
    var progress = ProgressDisplay.auto
}

enum ProgressDisplay: String, CaseIterable, Sendable {
    case auto, bar, plain, none
}
