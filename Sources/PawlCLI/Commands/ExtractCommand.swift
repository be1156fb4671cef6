import ArgumentParser
import PawlArchive
import PawlCore

struct ExtractCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Unpack an archive: zip, 7z, tar, also compressed by gzip, bzip2, xz or zstd.",
        usage: "pawl extract [<options>] <file>",
        discussion: """
            The directory appears when everything is in it and on the disk; what ends it early leaves nothing. What leads outside of it, or could \
            do harm otherwise, is refused (docs/archives.md). The archive is kept.
            """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: [.customShort("d"), .customLong("directory")],
        help: ArgumentHelp("Unpack into this directory, which is made. Default: beside the archive, by its name.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp("Unpack only what this matches; '*' stays within a directory, '**' does not. May be repeated.", valueName: "pattern"))
    var member: [String] = []

    @Option(help: ArgumentHelp("When the directory exists already and is not empty.", valueName: "policy"))
    var ifExists: ExtractionOptions.IfExists = .fail

    @OptionGroup(title: "Safety") var unpacking: UnpackingOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func execute(in session: Session) async throws -> ExitCode {
        var options = try unpacking.options(reading: session.files)
        options.ifExists = ifExists
        if !member.isEmpty { options.patterns = member }
        guard case .file(let path) = try ArchiveSource(file) else {
            throw UsageError("“pawl extract” takes a file. To download and unpack in one go: pawl get --extract URL")
        }
        if let directory, directory.isEmpty { throw UsageError("-d takes the name of a directory.") }
        let target = directory ?? Archive(path).defaultDirectory
        let work = ArchiveWork(kind: .unpacking, name: path, session: session, writesJSON: output.json, isQuiet: output.quiet)
        do {
            let (result, elapsed) = try await unpack(path, into: target, options, work, session)
            if output.json { return session.write(ArchiveEvents.extracted(result, from: path, after: elapsed).encoded + "\n") }
            if !output.quiet { session.say(ArchiveWords.line(result, after: elapsed)) }
            return .done
        } catch {
            return work.report(error)
        }
    }

    private func unpack(
        _ path: String, into target: String, _ options: ExtractionOptions, _ work: ArchiveWork, _ session: Session
    ) async throws -> (value: ExtractionResult, elapsed: Duration) {
        var options = options
        var tries = PasswordTries(of: path, session: session)
        while true {
            do {
                let settled = options
                return try await work.run { try await Archive(path).extract(into: target, options: settled, progress: $0) }
            } catch {
                guard let password = try await tries.next(after: error, given: options.password) else { throw error }
                options.password = password
            }
        }
    }
}
