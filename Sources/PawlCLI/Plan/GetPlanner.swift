import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Turns the arguments, and the lists they name, into jobs.
struct GetPlanner {
    /// Whether a path names an existing directory.
    let isDirectory: (String) -> Bool
    let files: NamedFiles
    let openList: (String) throws(DownloadList.Problem) -> ListReader

    func plan(_ command: GetCommand) throws(UsageError) -> ResolvedGet {
        let batch = try batch(
            of: command.jobs, like: try command.jobs.template(), holdsSecrets: command.holdsSecrets)
        var get = ResolvedGet(command, batch)
        if command.queue.dryRun != nil {
            // They are known only from a response.
            get.jobs.changeTemplates { job in
                job.options.usesServerMirrors = false
                if job.searchesDigest { job.digestList = nil }
            }
        }
        if command.jobs.target.output == "-" { try Self.streamToOutput(&get, command) }
        get.configuration.speedLimit = command.limit
        get.configuration.requestRatePerHost = command.queue.hostRate
        try command.server.apply(to: &get.configuration, reading: files)
        try UsageError.of { () throws(JobBatch.Problem) in try batch.checkSeveral() }
        get.warnings = command.server.warnings(reading: files)
        if let notice = command.jobs.words.droppedNotice { get.remarks.append(notice) }
        return get
    }

    /// The jobs that the words stand for.
    ///
    /// - Parameters:
    ///   - template: the job that the flags describe.
    ///   - holdsSecrets: a word holds a secret.
    func batch(
        of words: JobArguments, like template: JobSpec, holdsSecrets: Bool
    ) throws(UsageError) -> JobBatch {
        if let name = words.target.output, name.begins(with: "/dev/"), name == "/dev/stdout" || FileKind.isSpecial(name)
        {
            throw UsageError(
                "-o names a file to store. Use -o - to write to standard output, and -o - >/dev/null to discard the bytes."
            )
        }
        var batch = JobBatch(
            like: template, output: words.target.output, directory: words.target.directory, holdsSecrets: holdsSecrets,
            limits: words.unpacking.unpacking, isDirectory: isDirectory)
        try UsageError.of(urls: words.urls) { () throws(JobBatch.Problem) in
            for url in words.urls { try batch.add(url: url, isPattern: !words.noGlob) }
            for list in words.inputFile { try batch.add(list: list, opening: openList) }
            for document in words.metalink.metalink {
                try batch.add(metalink: document, select: words.metalink.select)
            }
        }
        guard !batch.jobs.isEmpty else {
            throw UsageError(
                words.inputFile.isEmpty
                    ? "No URL is given. Give one, or a list of URLs with -i, or a Metalink with --metalink."
                    : "The list contains no URLs.")
        }
        try words.metalink.check()
        return batch
    }

    /// The one file that is asked for goes to standard output.
    private static func streamToOutput(_ get: inout ResolvedGet, _ command: GetCommand) throws(UsageError) {
        guard command.jobs.metalink.metalink.isEmpty else {
            throw UsageError(
                "-o - writes one file to stdout, but a Metalink names its own files. Give the URL of one, with --checksum."
            )
        }
        guard get.jobs.count == 1 else {
            throw UsageError(
                "-o - writes one file to stdout, but \(get.jobs.count) are given. Leave -o out, or give one URL.")
        }
        guard command.jobs.target.directory == nil else {
            throw UsageError("-o - writes to stdout and cannot be combined with -d.")
        }
        guard !command.output.json else {
            throw UsageError("--json and -o - both write to stdout. Leave one of them out.")
        }
        guard get.jobs[0].members.isEmpty else {
            throw UsageError(
                "-o - cannot be combined with --member: members are checked before they are written. Name a file.")
        }
        guard get.jobs[0].unpacking == nil else {
            throw UsageError("--extract unpacks files, and -o - writes to stdout. Leave one of them out.")
        }
        get.streamsToOutput = true
        // There is no file that a program could be told of.
        get.jobs.changeTemplates { $0.hook = [] }
    }
}
