import ArgumentParser

/// Members of a remote zip archive (docs/remote-zip.md).
struct MemberOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Download only these members of the zip archive at URL. '*' matches within a directory, '**' across directories. May be repeated.",
            valueName: "pattern"))
    var member: [String] = []
}
