import Pawl
import PawlCore

/// The jobs that one request stands for: URLs and what their patterns expand to, the entries of lists, Metalinks. All
/// start as copies of one template.
package struct JobBatch {
    /// An option of a list that has no meaning here.
    package struct IgnoredOption: Hashable, Sendable {
        package let name: String
        /// The list that has it first, as shown to people.
        package let list: String
    }

    package private(set) var jobs = JobRows()
    /// Whether each job is fully described by its URL and the template, and the template holds no secret. The URL may
    /// hold one.
    package private(set) var canBeTyped: [Bool] = []
    /// The options of lists that were ignored, each name once.
    package private(set) var ignoredOptions: [IgnoredOption] = []
    /// The template, a URL or the location of a Metalink may hold secrets. Lists are files, and show nothing.
    package private(set) var holdsSecrets: Bool
    private let template: JobSpec
    private let limits: Unpacking?
    private let templateHoldsSecrets: Bool
    private let output: String?
    private let directory: String?
    private let isDirectory: (String) -> Bool
    /// `output` names a file without saying how several of them differ.
    private var sharesName = false

    /// - Parameters:
    ///   - template: what holds where a job says nothing else. Of its source only the mirrors count.
    ///   - output: the name of the file, perhaps a ``NamePattern``, perhaps with directories in front.
    ///   - directory: the directory for files, above those of `output`.
    ///   - holdsSecrets: the template holds what must not be shown. The place of its list of digests is looked at here.
    ///   - limits: how members of archives are unpacked, unless the template says how whole archives are.
    ///   - isDirectory: whether a path names an existing directory.
    package init(
        like template: JobSpec, output: String?, directory: String?, holdsSecrets: Bool, limits: Unpacking? = nil,
        isDirectory: @escaping (String) -> Bool
    ) {
        self.template = template
        self.limits = limits
        self.output = output
        self.directory = directory
        self.isDirectory = isDirectory
        templateHoldsSecrets = holdsSecrets || template.digestList.map(JobDocument.holdsSecrets) ?? false
        self.holdsSecrets = templateHoldsSecrets
    }

    private var mirrors: [Mirror] { if case .url(_, let mirrors) = template.source { mirrors } else { [] } }

    // MARK: Adding

    /// - Parameter isPattern: the URL may have a ``URLPattern`` in it; if not, it is taken as it is.
    package mutating func add(url: String, isPattern: Bool) throws(Problem) {
        let (pattern, name) = try patterns(isPattern ? url : URLPattern.escaped(url))
        if let name, !name.varies { sharesName = true }
        for index in 0..<pattern.count {
            let expansion = pattern.expansion(index)
            try add([expansion.url], template, output: name?.name(expansion.values), directory: directory)
            if JobDocument.holdsSecrets(expansion.url) { holdsSecrets = true }
        }
    }

    private func patterns(_ url: String) throws(Problem) -> (URLPattern, NamePattern?) {
        let pattern: URLPattern
        do throws(URLPatternError) {
            pattern = try URLPattern(parsing: url)
        } catch {
            throw .urlPattern(error)
        }
        do throws(URLPatternError) {
            guard let output else { return (pattern, nil) }
            return (pattern, try NamePattern(parsing: output, choiceCount: pattern.choiceCount))
        } catch {
            throw .namePattern(error)
        }
    }

    /// - Parameter place: path or URL of the Metalink.
    package mutating func add(metalink place: String, select: [String]) throws(Problem) {
        guard mirrors.isEmpty else { throw .mirrorsOfMetalink }
        var job = template
        job.source = .metalink(place, select: select)
        if JobDocument.holdsSecrets(place) { holdsSecrets = true }
        try add(job, output: output, directory: directory, canBeTyped: false)
    }

    /// - Parameters:
    ///   - name: of the list, as ``ListFile`` takes it.
    ///   - open: opens the list.
    package mutating func add(
        list name: String, opening open: (String) throws(DownloadList.Problem) -> ListReader
    ) throws(Problem) {
        let shown = ListFile.shownName(name)
        func next(_ reader: inout ListReader?) throws(Problem) -> [DownloadList.Entry]? {
            do throws(DownloadList.Problem) {
                if reader == nil { reader = try open(name) }
                return try reader?.next()
            } catch {
                throw .list(shown, error)
            }
        }
        var reader: ListReader?
        while let entries = try next(&reader) {
            for entry in entries { try add(entry, of: shown) }
        }
    }

    private mutating func add(_ entry: DownloadList.Entry, of list: String) throws(Problem) {
        let file: ListedFile
        do throws(DownloadList.Problem) {
            file = try ListedFile(entry.options, of: entry.urls.first, template: template)
        } catch {
            throw .option(list, error)
        }
        for name in file.ignored where !ignoredOptions.contains(where: { $0.name.isExactly(name) }) {
            ignoredOptions.append(IgnoredOption(name: name, list: list))
        }
        if file.target.output == nil, output != nil { sharesName = true }
        do throws(Problem) {
            try add(
                entry.urls, file.job, output: file.target.output ?? output,
                directory: file.target.directory ?? directory,
                canBeTyped: entry.options.isEmpty && entry.urls.count == 1)
        } catch {
            throw .entry(list, line: entry.line, error)
        }
    }

    private mutating func add(
        _ urls: [String], _ job: JobSpec, output: String?, directory: String?, canBeTyped: Bool = true
    ) throws(Problem) {
        var job = job
        job.source = .url(urls.first ?? "", mirrors: mirrors + urls.dropFirst().map { Mirror($0) })
        try add(job, output: output, directory: directory, canBeTyped: canBeTyped)
    }

    private mutating func add(_ job: JobSpec, output: String?, directory: String?, canBeTyped: Bool) throws(Problem) {
        var job = job
        do throws(TargetPlace.Problem) {
            // "-" names no file but a stream, which is for who asked to settle.
            let output = output == "-" ? nil : output
            let place = try TargetPlace(output: output, directory: directory, isDirectory: isDirectory)
            (job.directory, job.fileName) = (place.directory, place.fileName)
        } catch {
            throw .place(error)
        }
        if !job.members.isEmpty {
            job.acceptsWholeArchive = job.unpacking != nil
            job.unpacking = job.unpacking ?? limits
        }
        do throws(JobSpecError) {
            try job.writeHostsInASCII()
            try job.checked()
            try job.checkTyped()
        } catch {
            throw .spec(error, of: job)
        }
        jobs.append(job)
        self.canBeTyped.append(canBeTyped && !templateHoldsSecrets)
    }

    // MARK: Several

    /// Checks that the template of several jobs has no option that can apply to only one file.
    package func checkSeveral() throws(Problem) {
        guard jobs.count > 1 else { return }
        guard template.options.digest == nil else { throw .onlyOfOne(.digest) }
        guard mirrors.isEmpty else { throw .onlyOfOne(.mirrors) }
        guard template.members.isEmpty else { throw .onlyOfOne(.members) }
        guard !sharesName else { throw .sharedName(output ?? "", count: jobs.count) }
    }
}
