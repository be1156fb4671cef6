import Pawl
import PawlCore

/// Makes of the words of a command line, and of the lists it names, the downloads that are meant.
struct GetPlanner {
    /// What was typed after `pawl`.
    let words: [String]
    /// Whether a path names an existing directory.
    let isDirectory: (String) -> Bool
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
        var configuration = Downloader.Configuration()
        var choosesIfExists: Bool
        var holdsSecrets = false

        init(_ command: GetCommand) throws(UsageError) {
            choosesIfExists = command.target.ifExists != nil
            for group in command.groups {
                try group.apply(to: &request)
                try group.apply(to: &configuration)
                if group.holdsSecrets { holdsSecrets = true }
            }
        }
    }

    private let planner: GetPlanner
    private let command: GetCommand
    private var get = ResolvedGet(downloads: [])
    /// By the options of lists: entries repeat each other's.
    private var templates: [[String]: Template] = [:]
    private var ignored: Set<String> = []
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
        let template = try template(options: [])
        let (pattern, name) = try patterns(url)
        if let name, !name.varies { sharesName = true }
        for index in 0..<pattern.count {
            let expansion = pattern.expansion(index)
            try add([expansion.url], template, output: name?.name(expansion.values), directory: command.target.directory)
            if get.downloads.last?.canBeTyped == false { typedSecrets = true }
        }
    }

    private func patterns(_ url: String) throws(UsageError) -> (URLPattern, NamePattern?) {
        do throws(URLPatternError) {
            let pattern = try URLPattern(parsing: command.queue.noGlob ? URLPattern.escaped(url) : url)
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
        for name in options.ignored where ignored.insert(name).inserted {
            get.remarks.append("“\(name)” in \(list) is an option of aria2 that has no meaning here.")
        }
        if options.output == nil, command.target.output != nil { sharesName = true }
        do throws(UsageError) {
            try add(
                entry.urls, template(options: options.words), output: options.output ?? command.target.output,
                directory: options.directory ?? command.target.directory,
                canBeTyped: entry.options.isEmpty && entry.urls.count == 1)
        } catch {
            throw DownloadList.Problem(line: entry.line, message: error.message)
        }
    }

    // MARK: Both

    private mutating func template(options: [String]) throws(UsageError) -> Template {
        if let known = templates[options] { return known }
        // The same flags with the same meanings as on the command line, only later, which is how one flag overrides another.
        let command = options.isEmpty ? command : try ListOptions.command(words: planner.words, options: options)
        let template = try Template(command)
        templates[options] = template
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
        get.unpacking = try command.extract.plan(command.unpacking)
        try settleStream()
        try settleUnpacking()
        if get.downloads.count > 1 { try settleSeveral() }
        let template = try template(options: [])
        get.configuration = template.configuration
        get.isFreeOfSecrets = !template.holdsSecrets && !typedSecrets
        get.maximumRunning = command.queue.jobs
        get.maximumConnectionsPerHost = command.queue.perHost
        get.failsFast = command.queue.failFast
        get.choosesIfExists = undecided.isEmpty
        get.writesJSON = command.output.json
        get.isQuiet = command.output.quiet
        get.warnings = command.groups.flatMap(\.warnings)
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
        try settleDuplicates()
    }

    /// What is the same download twice is one. What would put two files under one name is told before anything is fetched.
    private mutating func settleDuplicates() throws(UsageError) {
        struct Target: Hashable {
            var directory: String
            var name: String
        }
        struct Download: Hashable {
            var url: String
            var directory: String
            var name: String?
            var digest: Digest?
        }
        var targets: [Target: PlannedDownload] = [:]
        var known: Set<Download> = []
        var kept: [PlannedDownload] = []
        for var download in get.downloads {
            let request = download.request
            guard known.insert(
                Download(url: request.url, directory: request.directory, name: request.fileName, digest: request.digest)
            ).inserted else { continue }
            if let name = request.fileName, request.ifExists != .rename {
                if let other = targets.updateValue(download, forKey: Target(directory: request.directory, name: name)) {
                    throw UsageError(
                        "Two URLs are to become “\(download.likelyPath)”: \(other.shownURL) and \(download.shownURL). Name them apart, or use --if-exists rename.")
                }
            }
            download.id = kept.count + 1
            kept.append(download)
        }
        let repeated = get.downloads.count - kept.count
        if repeated > 0 {
            get.remarks.append(repeated == 1 ? "One URL is given twice and fetched once." : "\(repeated) URLs are given before and fetched once.")
        }
        get.downloads = kept
    }
}
