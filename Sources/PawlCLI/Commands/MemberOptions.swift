import ArgumentParser

/// Members of a remote zip archive (docs/remote-zip.md).
struct MemberOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fetch only these members of the zip archive at URL; '*' stays within a directory, '**' does not. May be repeated.",
            valueName: "pattern"))
    var member: [String] = []
}
