import PawlCore
import PawlJobs
import PawlSystem

extension GetCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let planner = GetPlanner(
            isDirectory: FileKind.isDirectory, files: session.files,
            openList: { (name) throws(DownloadList.Problem) in try ListFile.open(name) })
        var run = GetRun(get: try planner.plan(self), session: session)
        if let kind = queue.dryRun {
            if !createDirs { try run.get.checkDirectories() }
            return try await run.dryRun(kind, makesDirectories: createDirs).print(in: session)
        }
        if createDirs { try run.get.makeDirectories() } else { try run.get.checkDirectories() }
        let code = try await run.run()
        try server.finish(run.get.configuration)
        return code
    }
}
