import Pawl
import PawlArchive
import PawlCore
import PawlJobs
import PawlMetalink

/// What has to be read before a run can begin: Metalinks, lists of checksums, and the program that is to run after each download.
struct Preparation {
    let command: GetCommand
    let session: Session

    func complete(_ get: ResolvedGet) async throws -> ResolvedGet {
        var get = get
        try command.checksumFile.check(besides: command.transfer.checksum)
        try command.metalink.check()
        get.hook = try command.hook.command()
        get.members = try command.members.wish(command, get, reading: session.files)
        // Where they cannot be had alone, the whole is fetched, and they alone are unpacked.
        if let members = get.members {
            get.unpacking?.options.patterns = members.patterns
            get.unpacking?.flags += members.patterns.flatMap { ["--member", $0] }
        }
        guard command.mirrors.mirror.isEmpty || get.downloads.count <= 1 else {
            throw UsageError("--mirror is of one URL. In a list (-i) a line may have several URLs of one file, with tabs between them.")
        }
        let asksServers = command.mirrors.serverMirrors && !command.queue.dryRun
        guard !command.metalink.metalink.isEmpty || command.checksumFile.checksumFile != nil || asksServers else {
            try checkPlace(get)
            return get
        }
        let downloader = try Downloader.forThisProcess(get.configuration)
        if asksServers { try await addDescriptions(to: &get, downloader) }
        try await addMetalinks(to: &get, downloader)
        try checkPlace(get)
        try await addDigests(to: &get, downloader)
        return get
    }

    /// Whether there can be a directory to unpack into: not when everything has come.
    private func checkPlace(_ get: ResolvedGet) throws {
        guard let directory = get.unpacking?.directory, get.members == nil else { return }
        // Of several archives each has a directory of its own in it.
        if !get.isAlone, FileKind.isDirectory(directory) { return }
        try Archive.checkTarget(directory)
    }

    // MARK: Metalinks

    private func addMetalinks(to get: inout ResolvedGet, _ downloader: Downloader) async throws {
        guard !command.metalink.metalink.isEmpty else { return }
        var template = DownloadRequest("", in: command.target.directory ?? ".")
        for group in command.groups { try group.apply(to: &template, reading: session.files) }
        guard template.mirrors.isEmpty else { throw UsageError("--mirror is of one URL, and a Metalink names its own. Leave it out.") }
        var asking = template
        asking.url = command.metalink.metalink.first(where: JobDocument.isURL) ?? ""
        var remarks: [String] = []
        let requests = try await command.metalink.requests(
            like: template, DocumentReader(template: asking, downloader), makingDirectories: !command.queue.dryRun && command.target.output == nil,
            isForOneOrigin: isForOneOrigin
        ) { remarks.append($0) }
        get.remarks += remarks
        for request in requests {
            get.downloads.append(
                try PlannedDownload(id: get.downloads.count + 1, request: request, canBeTyped: false))
        }
        try settle(&get, added: requests.count)
    }

    /// Something was given that only the origin of a URL of the command line may see. A proxy and a mirror have their own.
    private var isForOneOrigin: Bool {
        command.credentials.isForOneOrigin
            || command.groups.contains { $0.holdsSecrets && !($0 is ConnectionOptions) && !($0 is MirrorOptions) }
    }

    /// What holds for several files, as for those of the command line.
    private func settle(_ get: inout ResolvedGet, added: Int) throws {
        if let output = command.target.output {
            guard get.downloads.count == 1 else {
                throw UsageError("-o “\(output)” names one file, and these are \(get.downloads.count). Choose one with --select, or name the directory with -d.")
            }
            let place = try TargetPlace(output: output, directory: command.target.directory, isDirectory: FileKind.isDirectory)
            var request = get.downloads[0].request
            request.directory = place.directory
            request.fileName = place.fileName
            get.downloads[0] = try PlannedDownload(id: 1, request: request, canBeTyped: false)
        }
        if command.extract.extract || command.extract.extractTo != nil, command.target.ifExists == nil {
            for index in get.downloads.indices { get.downloads[index].request.ifExists = .skip }
        }
        guard get.downloads.count > 1 else { return }
        guard command.transfer.checksum == nil else {
            throw UsageError("--checksum is of one file, and these are \(get.downloads.count). Choose one with --select, or give a list with --checksum-file.")
        }
        // The same command again goes on with what is missing.
        if command.target.ifExists == nil {
            for index in get.downloads.indices { get.downloads[index].request.ifExists = .skip }
        }
        try get.settleDuplicates()
    }

    // MARK: What servers name

    /// How many servers are asked at once.
    private static let mostQuestions = 8

    private func addDescriptions(to get: inout ResolvedGet, _ downloader: Downloader) async throws {
        let requests = get.downloads.map(\.request)
        let described = try await withThrowingTaskGroup(of: (Int, DescribedRequest).self) { group in
            var described: [Int: DescribedRequest] = [:]
            for (index, request) in requests.enumerated() {
                if index >= Self.mostQuestions, let (done, result) = try await group.next() { described[done] = result }
                group.addTask { (index, try await downloader.described(request)) }
            }
            while let (done, result) = try await group.next() { described[done] = result }
            return described
        }
        for (index, result) in described.sorted(by: { $0.key < $1.key }) {
            get.downloads[index].request = result.request
            get.remarks += result.notices
        }
    }

    // MARK: Lists of checksums

    private func addDigests(to get: inout ResolvedGet, _ downloader: Downloader) async throws {
        var requests = get.downloads.map(\.request)
        // Of several origins, the one that the list comes from: what a line of a list (-i) says is for its URL alone.
        let place = command.checksumFile.checksumFile ?? ""
        guard let template = requests.first(where: { JobDocument.isSameOrigin($0.url, place) }) ?? requests.first else { return }
        try await command.checksumFile.apply(to: &requests, DocumentReader(template: template, downloader))
        for index in requests.indices { get.downloads[index].request = requests[index] }
    }
}
