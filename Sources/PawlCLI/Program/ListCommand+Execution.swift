import Pawl
import PawlArchive
import PawlJobs

extension ListCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        if partial { return try listLeftFiles(in: session) }
        guard let source, !recursive else {
            throw UsageError(
                recursive ? "-r goes with --partial." : "Name an archive, or --partial for unfinished downloads.")
        }
        let reading = Task { try await read(source, in: session) }
        session.interruption.onStop { reading.cancel() }
        let members = try await reading.value
        guard json else { return session.write(MemberTable(members: members, locale: Locale.current).text) }
        for member in members {
            let code = session.write(ArchiveJSON.member(member).encoded + "\n")
            guard code == .done else { return code }
        }
        return .done
    }

    private func listLeftFiles(in session: Session) throws -> ExitCode {
        let files = try LeftFile.listed(in: source ?? ".", isRecursive: recursive)
        if files.isEmpty { session.say("There are no unfinished downloads in “\(source ?? ".")”.") }
        guard json else {
            return session.write(LeftFileTable(files, now: LiveRuntime.wallClockSeconds).text(on: .standardOutput))
        }
        for file in files {
            let code = session.write(file.json.encoded + "\n")
            guard code == .done else { return code }
        }
        return .done
    }

    private func read(_ source: String, in session: Session) async throws -> [ArchiveMember] {
        switch try ArchiveSource(source) {
        case .file(let path):
            let password = try passwordFile.map { try session.secrets.text(of: .file($0)) }
            return try await Archive(path).members(password: password, limit: maxMembers)
        case .url(let url):
            let (job, configuration) = try server.settled(words, for: url, in: session)
            let zip = try await Downloader.forThisProcess(configuration).remoteZip(try job.request(session.secrets))
            try server.finish(configuration)
            guard zip.members.count <= maxMembers else {
                throw ArchiveError(
                    .tooLarge, "\(zip.url) has \(zip.members.count) members, and the limit is \(maxMembers).",
                    remedies: [.raiseMaximumMembers])
            }
            return zip.members
        }
    }
}
