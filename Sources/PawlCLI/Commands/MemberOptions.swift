import ArgumentParser
import PawlArchive

/// Members of a remote zip archive (docs/remote-zip.md).
struct MemberOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fetch only these members of the zip archive at URL; '*' stays within a directory, '**' does not. May be repeated.",
            valueName: "pattern"))
    var member: [String] = []

    /// - Parameter get: what else was asked for.
    /// - Returns: nil where no members are wanted.
    func wish(_ command: GetCommand, _ get: ResolvedGet) throws(UsageError) -> MemberWish? {
        guard !member.isEmpty else { return nil }
        guard get.isAlone, command.metalink.metalink.isEmpty else { throw UsageError("--member is of one URL. Fetch one archive after the other.") }
        func refuse(_ isGiven: Bool, _ option: String, _ why: String) throws(UsageError) {
            if isGiven { throw UsageError("\(option) does not go with --member: \(why)") }
        }
        try refuse(get.streamsToOutput, "-o -", "a member is checked before it is handed on. Name a file.")
        try refuse(command.parts.range != nil, "--range", "a member is a part already.")
        try refuse(
            command.transfer.checksum != nil || command.checksumFile.checksumFile != nil, "--checksum",
            "it is of the whole archive, which is not fetched. Members are checked by their CRC-32.")
        try refuse(!command.mirrors.mirror.isEmpty || command.mirrors.serverMirrors, "--mirror", "nothing would show that both have the same archive.")
        return MemberWish(patterns: member, directory: command.extract.extractTo, options: try command.unpacking.options())
    }
}

/// Members of a remote archive, and what becomes of them.
struct MemberWish: Sendable {
    var patterns: [String]
    /// Nil: one member becomes a file, several a directory that is named after the archive.
    var directory: String?
    var options: ExtractionOptions
}
