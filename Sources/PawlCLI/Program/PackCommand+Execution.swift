import PawlArchive
import PawlCore
import PawlJobs

extension PackCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        var options = PackingOptions()
        options.ifExists = ifExists
        options.level = level
        let work = ArchiveWork(
            kind: .packing, name: archive, session: session, writesJSON: output.json, isQuiet: output.quiet)
        do {
            let (archive, files, settled) = (archive, files, options)
            let (result, elapsed) = try await work.run {
                try await Archive.pack(files, to: archive, options: settled, progress: $0)
            }
            if output.json { return session.write(ArchiveJSON.packed(result, after: elapsed).encoded + "\n") }
            if !output.quiet { session.say(ArchiveWords.line(result, after: elapsed)) }
            return .done
        } catch {
            return try work.report(error)
        }
    }
}
