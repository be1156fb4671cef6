import PawlArchive
import PawlCore
import PawlJobs

extension ExtractCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        var options = try unpacking.unpacking.options(members: member, session.secrets)
        options.ifExists = ifExists
        guard case .file(let path) = try ArchiveSource(file) else {
            throw UsageError("“pawl extract” takes a file. To download and unpack in one go: pawl get --extract URL")
        }
        if let directory, directory.isEmpty { throw UsageError("-d takes the name of a directory.") }
        let target = directory ?? Archive(path).defaultDirectory
        let work = ArchiveWork(
            kind: .unpacking, name: path, session: session, writesJSON: output.json, isQuiet: output.quiet)
        do {
            let (result, elapsed) = try await unpack(path, into: target, options, work, session)
            if output.json {
                return session.write(ArchiveJSON.extracted(result, from: path, after: elapsed).encoded + "\n")
            }
            if !output.quiet { ArchiveWords.lines(result, after: elapsed).forEach { session.say($0) } }
            return .done
        } catch {
            return try work.report(error)
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
                return try await work.run {
                    try await Archive(path).extract(into: target, options: settled, progress: $0)
                }
            } catch {
                guard let password = try await tries.next(after: error, given: options.password) else { throw error }
                options.password = password
            }
        }
    }
}
