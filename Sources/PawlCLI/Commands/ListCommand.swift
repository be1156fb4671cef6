import ArgumentParser
import Pawl
import PawlArchive

struct ListCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is in an archive, on disk or on a server.",
        discussion: """
            Nothing is unpacked, and what is listed has not been checked against harm: extracting does that. Of a zip archive on a server only its \
            end and the list of its members are fetched (docs/remote-zip.md).
            """)

    @Argument(help: ArgumentHelp("The archive, or the URL of a zip archive.", valueName: "file-or-url"), completion: .file())
    var source: String

    @Option(help: ArgumentHelp("Take the password of an archive that hides its names from the first line of a file.", valueName: "file"))
    var passwordFile: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("List at most so many members. Default: 1000000.", valueName: "number"))
    var maxMembers: String?

    @Flag(help: "Write one JSON object a member to stdout (docs/json-events.md).")
    var json = false

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions

    /// All groups that change the request or the configuration: a new one is added here.
    private var groups: [any RequestOptions] { [server, connection, credentials, caller, verbosity] }

    func execute(in session: Session) async throws -> ExitCode {
        let reading = Task { try await read(in: session) }
        session.interruption.onStop { reading.cancel() }
        let members = try await reading.value
        guard json else { return session.write(MemberTable(members: members, locale: Locale.current).text) }
        for member in members {
            let code = session.write(ArchiveEvents.member(member).encoded + "\n")
            guard code == .done else { return code }
        }
        return .done
    }

    private func read(in session: Session) async throws -> [ArchiveMember] {
        var limit = ExtractionLimits().maximumMembers
        if let maxMembers { limit = try UnpackingOptions.members(maxMembers) }
        switch try ArchiveSource(source) {
        case .file(let path):
            let password = try passwordFile.map { (path) throws(UsageError) in try session.files.line(path) }
            return try await Archive(path).members(password: password, limit: limit)
        case .url(let url):
            var configuration = Downloader.Configuration()
            var request = DownloadRequest(url)
            for group in groups {
                try group.apply(to: &request, reading: session.files)
                try group.apply(to: &configuration, reading: session.files)
                group.warnings(reading: session.files).forEach(session.complain)
            }
            let zip = try await Downloader.forThisProcess(configuration).remoteZip(request)
            for group in groups { try group.finish(configuration) }
            guard zip.members.count <= limit else {
                throw ArchiveError(
                    .tooLarge, "\(zip.url) has \(zip.members.count) members, and the limit is \(limit).",
                    remedies: [.raiseMaximumMembers])
            }
            return zip.members
        }
    }
}
