import Pawl
import PawlCore
import PawlJobs

/// Makes of the words of a command line, and of the lists it names, the jobs that are meant.
struct GetPlanner {
    /// Whether a path names an existing directory.
    let isDirectory: (String) -> Bool
    let files: NamedFiles
    let readList: (String) throws(DownloadList.Problem) -> [DownloadList.Entry]

    func plan(_ command: GetCommand) throws(UsageError) -> ResolvedGet {
        var planning = try Planning(planner: self, command: command)
        for url in command.urls { try planning.add(argument: url) }
        for list in command.queue.inputFile { try planning.add(list: list) }
        for document in command.metalink.metalink { try planning.add(metalink: document) }
        return try planning.finish()
    }
}

/// The work of ``GetPlanner``, half done.
private struct Planning {
    private let planner: GetPlanner
    private let command: GetCommand
    private var get = ResolvedGet()
    /// What the flags make of a job whose URL and target are still to come.
    private let template: JobSpec
    private let holdsSecrets: Bool
    private var ignored: Set<ExactText> = []
    private var typedSecrets = false
    /// `-o` names a file without saying how several of them differ.
    private var sharesName = false

    init(planner: GetPlanner, command: GetCommand) throws(UsageError) {
        self.planner = planner
        self.command = command
        template = try command.template()
        holdsSecrets = command.groups.contains(where: \.holdsSecrets)
    }

    private var others: [Mirror] { if case .url(_, let mirrors) = template.source { mirrors } else { [] } }

    // MARK: From the command line

    mutating func add(argument url: String) throws(UsageError) {
        let (pattern, name) = try patterns(url)
        if let name, !name.varies { sharesName = true }
        for index in 0..<pattern.count {
            let expansion = pattern.expansion(index)
            try add([expansion.url], template, output: name?.name(expansion.values), directory: command.target.directory)
            if JobDocument.holdsSecrets(expansion.url) { typedSecrets = true }
        }
    }

    private func patterns(_ url: String) throws(UsageError) -> (URLPattern, NamePattern?) {
        let pattern: URLPattern
        do throws(URLPatternError) {
            pattern = try URLPattern(parsing: command.queue.noGlob ? URLPattern.escaped(url) : url)
        } catch {
            throw UsageError("\(error.message) \(Hints.urlPattern)")
        }
        do throws(URLPatternError) {
            guard let output = command.target.output else { return (pattern, nil) }
            return (pattern, try NamePattern(parsing: output, choiceCount: pattern.choiceCount))
        } catch {
            throw UsageError(error.message)
        }
    }

    mutating func add(metalink document: String) throws(UsageError) {
        guard others.isEmpty else { throw UsageError("--mirror is of one URL, and a Metalink names its own. Leave it out.") }
        var job = template
        job.source = .metalink(document, select: command.metalink.select)
        if JobDocument.holdsSecrets(document) { typedSecrets = true }
        try add(job, output: command.target.output, directory: command.target.directory, canBeTyped: false)
    }

    // MARK: From lists

    mutating func add(list: String) throws(UsageError) {
        if ListFile.isStandardInput(list) { get.readsStandardInput = true }
        let shownName = ListFile.shownName(list)
        let entries: [DownloadList.Entry]
        do throws(DownloadList.Problem) {
            entries = try planner.readList(list)
        } catch {
            throw UsageError(error.line > 0 ? "\(shownName): \(error.message)" : "\(shownName) \(error.message)")
        }
        for entry in entries {
            do throws(DownloadList.Problem) {
                try add(entry, from: shownName)
            } catch {
                throw UsageError("\(shownName), line \(error.line): \(error.message)")
            }
        }
    }

    private mutating func add(_ entry: DownloadList.Entry, from list: String) throws(DownloadList.Problem) {
        let options = try ListOptions(entry.options)
        for name in options.ignored where ignored.insert(ExactText(name)).inserted {
            get.remarks.append("“\(name)” in \(list) is an option of aria2 that has no meaning here.")
        }
        if options.output == nil, command.target.output != nil { sharesName = true }
        var job = template
        try options.apply(to: &job)
        do throws(UsageError) {
            try add(
                entry.urls, job, output: options.output ?? command.target.output, directory: options.directory ?? command.target.directory,
                canBeTyped: entry.options.isEmpty && entry.urls.count == 1)
        } catch {
            throw DownloadList.Problem(line: entry.line, message: error.message)
        }
    }

    // MARK: All

    private mutating func add(
        _ urls: [String], _ job: JobSpec, output: String?, directory: String?, canBeTyped: Bool = true
    ) throws(UsageError) {
        var job = job
        job.source = .url(urls.first ?? "", mirrors: others + urls.dropFirst().map { Mirror($0) })
        try add(job, output: output, directory: directory, canBeTyped: canBeTyped)
    }

    private mutating func add(_ job: JobSpec, output: String?, directory: String?, canBeTyped: Bool) throws(UsageError) {
        var job = job
        // It names no file, and is settled with all together.
        let target = try TargetPlace(output: output == "-" ? nil : output, directory: directory, isDirectory: planner.isDirectory)
        job.directory = target.directory
        job.fileName = target.fileName
        do throws(JobSpecError) {
            try job.checked()
        } catch {
            throw UsageError(error.words + MetalinkOptions.hint(for: job))
        }
        get.jobs.append(PlannedJob(spec: job, canBeTyped: canBeTyped && !holdsSecrets))
    }

    mutating func finish() throws(UsageError) -> ResolvedGet {
        guard !get.jobs.isEmpty else {
            throw UsageError(
                command.queue.inputFile.isEmpty
                    ? "There is no URL. Give one, or a list of them with -i, or a Metalink with --metalink." : "There is no URL in what -i names.")
        }
        try command.metalink.check()
        try settleStream()
        for group in command.groups { try group.apply(to: &get.configuration, reading: planner.files) }
        if get.jobs.count > 1 { try settleSeveral() }
        get.unpackingFlags = command.unpacking.words + command.members.member.flatMap { ["--member", $0] }
        let list = command.checksumFile.checksumFile
        get.isFreeOfSecrets = !holdsSecrets && !typedSecrets && !(list.map(JobDocument.holdsSecrets) ?? false)
        get.maximumRunning = command.queue.jobs
        get.maximumConnectionsPerHost = command.queue.perHost
        get.failsFast = command.queue.failFast
        get.writesJSON = command.output.json
        get.isQuiet = command.output.quiet
        get.warnings = command.groups.flatMap { $0.warnings(reading: planner.files) }
        return get
    }

    private mutating func settleStream() throws(UsageError) {
        guard command.target.output == "-" else { return }
        guard command.metalink.metalink.isEmpty else {
            throw UsageError("-o - writes one file to stdout, and a Metalink names its files itself. Give the URL of one, with --checksum.")
        }
        guard get.jobs.count == 1 else {
            throw UsageError("-o - writes one file to stdout, and these are \(get.jobs.count). Leave -o out, or give one URL.")
        }
        guard command.target.directory == nil else { throw UsageError("-o - writes to stdout; -d has no meaning with it.") }
        guard !command.output.json else { throw UsageError("--json and -o - both write to stdout. Leave one of them out.") }
        guard get.jobs[0].spec.unpacking == nil else { throw UsageError("--extract unpacks files, and -o - writes to stdout. Leave one of them out.") }
        guard get.jobs[0].spec.members.isEmpty else {
            throw UsageError("-o - does not go with --member: a member is checked before it is handed on. Name a file.")
        }
        get.streamsToOutput = true
    }

    private func settleSeveral() throws(UsageError) {
        guard command.transfer.checksum == nil else {
            throw UsageError("--checksum is of one file. In a list (-i) each can have its own: checksum=sha-256:HEX, indented below its URL.")
        }
        guard others.isEmpty else {
            throw UsageError("--mirror is of one URL. In a list (-i) a line may have several URLs of one file, with tabs between them.")
        }
        guard command.members.member.isEmpty else { throw UsageError("--member is of one URL. Fetch one archive after the other.") }
        guard !sharesName else {
            throw UsageError(
                "-o “\(command.target.output ?? "")” names one file, and these are \(get.jobs.count). Put #1 where what a pattern chose is to stand, or name the directory with -d.")
        }
    }
}
