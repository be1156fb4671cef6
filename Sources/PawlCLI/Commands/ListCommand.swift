import ArgumentParser
import PawlArchive

struct ListCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is in an archive.",
        discussion: "Nothing is unpacked, and what is listed has not been checked against harm: extracting does that.")

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"), completion: .file())
    var source: String

    @Option(help: ArgumentHelp("Take the password of an archive that hides its names from the first line of a file.", valueName: "file"))
    var passwordFile: String?

    @Flag(help: "Write one JSON object a member to stdout (docs/json-events.md).")
    var json = false

    func execute(in session: Session) async throws -> ExitCode {
        let reading = Task { try await read() }
        session.interruption.onStop { reading.cancel() }
        let members = try await reading.value
        guard json else { return session.write(MemberTable(members: members, locale: Locale.current).text) }
        for member in members {
            let code = session.write(ArchiveEvents.member(member).encoded + "\n")
            guard code == .done else { return code }
        }
        return .done
    }

    private func read() async throws -> [ArchiveMember] {
        switch try ArchiveSource(source) {
        case .file(let path):
            return try await Archive(path).members(password: try UnpackingOptions.password(inFile: passwordFile))
        case .url:
            throw UsageError("“pawl list” takes a file. Download the archive first: pawl get URL")
        }
    }
}
