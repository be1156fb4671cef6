import Pawl
import PawlCore

/// Makes of the words of a command line, and of the lists it names, the downloads that are meant.
struct GetPlanner {
    /// Whether a path names an existing directory.
    let isDirectory: (String) -> Bool
    let files: NamedFiles
    let readList: (String) throws(UsageError) -> [DownloadList.Entry]

    func plan(_ command: GetCommand) throws(UsageError) -> ResolvedGet {
        var planning = Planning(planner: self, command: command)
        for url in command.urls { try planning.add(argument: url) }
        for list in command.queue.inputFile { try planning.add(list: list) }
        return try planning.finish()
    }
}

/// The work of ``GetPlanner``, half done.
private struct Planning {
    /// What a set of flags makes of a request whose URL and target are still to come.
    private struct Template {
        var request = DownloadRequest("")
        var choosesIfExists: Bool
        var holdsSecrets = false

        init(_ command: GetCommand, reading files: NamedFiles) throws(UsageError) {
            choosesIfExists = command.target.ifExists != nil
            for group in command.groups {
                try group.apply(to: &request, reading: files)
                if group.holdsSecrets { holdsSecrets = true }
            }
        }
    }

    private let planner: GetPlanner
    private let command: GetCommand
    private var get = ResolvedGet(downloads: [])
    /// Of the command line alone. An entry of a list with options of its own has a template of its own, which is not kept.
    private var common: Template?
    private var ignored: Set<ExactText> = []
    /// Indices of downloads for which nobody has said what to do when the file exists.
    private var undecided: [Int] = []
    private var typedSecrets = false
    /// `-o` names a file without saying how several of them differ.
    private var sharesName = false

    init(planner: GetPlanner, command: GetCommand) {
        self.planner = planner
        self.command = command
    }

    // MARK: From the command line

    mutating func add(argument url: String) throws(UsageError) {
        let template = try commonTemplate()
        let (pattern, name) = try patterns(url)
        if let name, !name.varies { sharesName = true }
        for index in 0..<pattern.count {
            let expansion = pattern.expansion(index)
            try add([expansion.url], template, output: name?.name(expansion.values), directory: command.target.directory)
            if get.downloads.last?.canBeTyped == false { typedSecrets = true }
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

    // MARK: From lists

    mutating func add(list: String) throws(UsageError) {
        if list == "-" { get.readsStandardInput = true }
        let shownName = ListFile.shownName(list)
        for entry in try planner.readList(list) {
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
        let own = options.isPlain ? nil : try options.applied(to: command)
        do throws(UsageError) {
            let template = if let own { try Template(own, reading: planner.files) } else { try commonTemplate() }
            try add(
                entry.urls, template, output: options.output ?? command.target.output,
                directory: options.directory ?? command.target.directory,
                canBeTyped: entry.options.isEmpty && entry.urls.count == 1)
        } catch {
            throw DownloadList.Problem(line: entry.line, message: error.message)
        }
    }

    // MARK: Both

    private mutating func commonTemplate() throws(UsageError) -> Template {
        if let common { return common }
        let template = try Template(command, reading: planner.files)
        common = template
        return template
    }

    private mutating func add(
        _ urls: [String], _ template: Template, output: String?, directory: String?, canBeTyped: Bool = true
    ) throws(UsageError) {
        let target = try TargetPlace(output: output, directory: directory, isDirectory: planner.isDirectory)
        var request = template.request
        request.url = urls.first ?? ""
        request.directory = target.directory
        request.fileName = target.fileName
        request.mirrors += urls.dropFirst().map { Mirror($0) }
        if !template.choosesIfExists { undecided.append(get.downloads.count) }
        get.downloads.append(
            try PlannedDownload(id: get.downloads.count + 1, request: request, canBeTyped: canBeTyped && !template.holdsSecrets))
    }

    // MARK: All together

    mutating func finish() throws(UsageError) -> ResolvedGet {
        guard !get.downloads.isEmpty || !command.metalink.metalink.isEmpty else {
            throw UsageError(
                command.queue.inputFile.isEmpty
                    ? "There is no URL. Give one, or a list of them with -i, or a Metalink with --metalink." : "There is no URL in what -i names.")
        }
        get.unpacking = try command.extract.plan(command.unpacking, reading: planner.files)
        try settleStream()
        try settleUnpacking()
        // No option of a list changes the configuration.
        for group in command.groups { try group.apply(to: &get.configuration, reading: planner.files) }
        if get.downloads.count > 1 { try settleSeveral() }
        get.isFreeOfSecrets = try !commonTemplate().holdsSecrets && !typedSecrets
        get.maximumRunning = command.queue.jobs
        get.maximumConnectionsPerHost = command.queue.perHost
        get.failsFast = command.queue.failFast
        get.choosesIfExists = undecided.isEmpty
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
        guard get.downloads.count == 1 else {
            throw UsageError("-o - writes one file to stdout, and these are \(get.downloads.count). Leave -o out, or give one URL.")
        }
        guard command.target.directory == nil else { throw UsageError("-o - writes to stdout; -d has no meaning with it.") }
        guard !command.output.json else { throw UsageError("--json and -o - both write to stdout. Leave one of them out.") }
        get.streamsToOutput = true
    }

    private mutating func settleUnpacking() throws(UsageError) {
        guard get.unpacking != nil else { return }
        guard command.parts.range == nil, !get.downloads.contains(where: { $0.request.ranges != nil }) else {
            throw UsageError("--extract unpacks whole files, and --range fetches parts of one. Leave one of them out.")
        }
        guard !get.streamsToOutput else { throw UsageError("--extract unpacks files, and -o - writes to stdout. Leave one of them out.") }
        // The same command again unpacks what was fetched and not unpacked.
        for index in undecided { get.downloads[index].request.ifExists = .skip }
    }

    private mutating func settleSeveral() throws(UsageError) {
        guard command.transfer.checksum == nil else {
            throw UsageError("--checksum is of one file. In a list (-i) each can have its own: checksum=sha-256:HEX, indented below its URL.")
        }
        guard !sharesName else {
            throw UsageError(
                "-o “\(command.target.output ?? "")” names one file, and these are \(get.downloads.count). Put #1 where what a pattern chose is to stand, or name the directory with -d.")
        }
        // The same command again goes on with what is missing.
        for index in undecided { get.downloads[index].request.ifExists = .skip }
        try get.settleDuplicates()
    }
}
