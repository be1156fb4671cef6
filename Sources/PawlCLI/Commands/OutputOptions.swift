import PawlOptions

/// The options about messages and their form.
struct OutputOptions: Sendable {
    var json = false
    var quiet = false
    /// The choice of colour, which is looked for before the other words are read: ``ColorChoice/init(in:)``.
    var color = ColorChoice.auto

    static let options = OptionDeclaration<Self>.without(
        .lists, because: .wholeRun,
        [
            .flag("json", \.json, help: "Write JSON objects to stdout, one per line (docs/json-events.md).")
                .without(.configuration, because: .output),
            .flag("quiet", letter: "q", \.quiet, help: "Show only errors."),
            .word(
                "color", "when", \.color, initial: .auto,
                help: "Colour messages: auto is on a terminal, unless $NO_COLOR is set."
            )
            .without(.configuration, because: .output),
        ])
}

/// The way `pawl get` shows progress.
enum ProgressDisplay: String, CaseIterable, Sendable {
    case auto, bar, plain, none
}
