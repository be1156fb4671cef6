import PawlClient
import PawlCore
import PawlJobs
import PawlSystem

extension AddCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let jobs = try newDownloads(in: session)
        let client = try service.client()
        let files = try await filesOfMetalinks(jobs, client, session)
        let results = try await session.ask { try await client.add(files) }
        var code = ExitCode.done
        var ids: [String] = []
        for result in results {
            if let download = result.download {
                ids.append(download.id)
                guard session.write((output.json ? download.json.encoded : download.id) + "\n") == .done else {
                    return .outputClosed
                }
                if !output.quiet, results.count <= Self.toldAtMost {
                    session.say(ServiceWords.added(download, isNew: result.isNew))
                }
            } else if let error = result.error {
                session.complain(error.text)
                if code == .done { code = ExitCode(error) }
            }
        }
        if !output.quiet, results.count > Self.toldAtMost {
            session.say("The service accepted \(ids.count) of \(results.count) downloads.")
        }
        guard queue.wait, !ids.isEmpty else { return code }
        let watched = try await Watch(client: client, ids: ids, session: session, output: output).run()
        return watched == .done ? code : watched
    }

    /// The largest number of lines: nobody reads more.
    private static let toldAtMost = 20

    /// Returns the jobs to send to the service, which reads no file for a client and does not know the client's working
    /// directory.
    func newDownloads(in session: Session) throws -> [NewDownload] {
        guard jobs.target.output != "-" else {
            throw UsageError("-o - writes to stdout, which the service cannot. Use 'pawl get'.")
        }
        // Without -d, a name of -o starts at the service's directory.
        let planner = GetPlanner(
            isDirectory: { jobs.target.directory != nil && FileKind.isDirectory($0) }, files: session.files,
            openList: { (name) throws(DownloadList.Problem) in try ListFile.open(name) })
        let batch = try planner.batch(of: jobs, like: try jobs.template(), holdsSecrets: jobs.words.holdsSecrets)
        try UsageError.of { () throws(JobBatch.Problem) in try batch.checkSeveral() }
        jobs.words.droppedNotice.map(session.warn)
        for option in batch.ignoredOptions {
            session.warn("“\(option.name)” in \(option.list) is an option of aria2 that has no effect here.")
        }
        var downloads: [NewDownload] = []
        for job in batch.jobs {
            let (specs, notices) = try job.withoutLocalFiles(session.secrets)
            notices.forEach(session.complain)
            for spec in specs { downloads.append(try newDownload(spec)) }
        }
        if queue.top { Self.putFirst(&downloads) }
        return downloads
    }

    /// A Metalink that is named by URL may name several files, and a download of the service is one.
    private func filesOfMetalinks(
        _ jobs: [NewDownload], _ client: ServiceClient, _ session: Session
    ) async throws -> [NewDownload] {
        var files: [NewDownload] = []
        for job in jobs {
            guard case .metalink = job.job.source else {
                files.append(job)
                continue
            }
            let document = try await session.ask { try await client.jobs(of: job) }
            document.problems.forEach { session.complain($0.message) }
            for spec in document.jobs {
                var file = job
                file.job = spec
                files.append(file)
            }
        }
        if queue.top { Self.putFirst(&files) }
        return files
    }

    private func newDownload(_ spec: JobSpec) throws(UsageError) -> NewDownload {
        var spec = spec
        if jobs.target.directory != nil { spec.directory = try WorkingDirectory.absolute(spec.directory) }
        if let path = spec.unpacking?.directory { spec.unpacking?.directory = try WorkingDirectory.absolute(path) }
        return NewDownload(spec, priority: queue.priority, isPaused: queue.paused, tag: queue.tag)
    }

    /// Gives the jobs consecutive places at the top, so that the first of them is the first.
    private static func putFirst(_ jobs: inout [NewDownload]) {
        for index in jobs.indices { jobs[index].position = .index(index) }
    }
}
