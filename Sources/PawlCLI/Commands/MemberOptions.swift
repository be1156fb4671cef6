import ArgumentParser
import Pawl
import PawlArchive
import PawlJobs

/// Members of a remote zip archive (docs/remote-zip.md).
struct MemberOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fetch only these members of the zip archive at URL; '*' stays within a directory, '**' does not. May be repeated.",
            valueName: "pattern"))
    var member: [String] = []

    /// - Parameters:
    ///   - get: what else was asked for.
    ///   - files: has what `--password-file` names.
    /// - Returns: nil where no members are wanted.
    func wish(_ command: GetCommand, _ get: ResolvedGet, reading files: NamedFiles) throws(UsageError) -> MemberWish? {
        guard !member.isEmpty else { return nil }
        guard get.isAlone, command.metalink.metalink.isEmpty else { throw UsageError("--member is of one URL. Fetch one archive after the other.") }
        func refuse(_ isGiven: Bool, _ option: String, _ why: String) throws(UsageError) {
            if isGiven { throw UsageError("\(option) does not go with --member: \(why)") }
        }
        try refuse(get.streamsToOutput, "-o -", "a member is checked before it is handed on. Name a file.")
        // As asked for by the command line or by a list.
        guard let request = get.downloads.first?.request else { return nil }
        try refuse(request.ranges != nil, "--range", "a member is a part already.")
        try refuse(
            request.digest != nil || command.checksumFile.checksumFile != nil, "--checksum",
            "it is of the whole archive, which is not fetched. Members are checked by their CRC-32.")
        try refuse(!request.mirrors.isEmpty || request.usesServerMirrors, "--mirror", "nothing would show that both have the same archive.")
        try refuse(request.onlyIfNewer, "--if-newer", "the time of the archive says nothing of a member.")
        try refuse(request.adoptsPartialFile, "--adopt", "other programs leave no members behind.")
        try refuse(request.keepsRemoteTime || request.recordsOrigin, "--remote-time or --xattr", "a member has its time from the archive, and no URL of its own.")
        var options = try command.unpacking.options(reading: files)
        options.ifExists = get.choosesIfExists ? ExtractionOptions.IfExists(request.ifExists) : .fail
        return MemberWish(patterns: member, directory: command.extract.extractTo, options: options)
    }
}

/// Members of a remote archive, and what becomes of them.
struct MemberWish: Sendable {
    var patterns: [String]
    /// Nil: one member becomes a file, several a directory that is named after the archive.
    var directory: String?
    var options: ExtractionOptions
}
