package import Pawl
package import PawlArchive
import PawlCore
package import PawlEngine
import PawlSystem

/// The effect that a run would have on one of its files, as far as it can be told in advance.
package struct FileOutlook: Sendable {
    package let file: JobFile
    package var name: String
    /// The server has no say in the name, or was asked.
    package var isNameFixed = true
    /// The state of the target; nil if it is not known, as of members, which the archive names.
    package var target: TargetOutlook?
    /// The directories that would be made for it, and for no file in front of it.
    package var directories: [String] = []
    /// The server's answer; nil if it was not asked.
    package var answer: FileAnswer?
    /// The effect of unpacking; nil where nothing is unpacked, or members whose archive names their place.
    package var unpacking: UnpackingOutlook?
    /// Why it would fail.
    package var failure: JobFailure?
    /// Why the file would be downloaded and not unpacked.
    package var unpackingFailure: JobFailure?

    package init(_ file: JobFile) {
        self.file = file
        name = file.likelyName
    }

    /// The run would create or change a file, as far as is known.
    var writes: Bool {
        switch target {
        case .begins, .resumes, .takesOver, .setsAside, .adopts, .replaces, .renames: true
        case .compares, .isCurrent, .skips, .isFinished, .fails, nil: false
        }
    }

    /// The run would end with the file as it is now, and without a request.
    var isSettled: Bool {
        guard isNameFixed, failure == nil else { return isNameFixed }
        return switch target {
        case .skips, .isFinished, .isCurrent, .fails: true
        default: false
        }
    }
}

/// Looks at the targets of a run's files in the order of the list, and asks their servers if told to.
package struct RunOutlook: Sendable {
    private static let requestsAtOnce = 8

    private let downloader: Downloader
    private let secrets: SecretReader
    private let makesDirectories: Bool
    private let storesFiles: Bool
    private var known: Set<ExactText> = []
    private var taken: Set<FileTarget> = []
    /// The names that files of the run were given, which go before those of servers and URLs.
    private var given: Set<FileTarget> = []
    /// The paths of earlier files; nil of a run that makes no directories for them.
    private var paths: PathPlan?

    /// - Parameters:
    ///   - makesDirectories: the run makes the directories that its jobs name.
    ///   - storesFiles: false of a run whose bytes go elsewhere.
    package init(_ downloader: Downloader, _ secrets: SecretReader, makesDirectories: Bool, storesFiles: Bool = true) {
        (self.downloader, self.secrets) = (downloader, secrets)
        (self.makesDirectories, self.storesFiles) = (makesDirectories, storesFiles)
    }

    /// - Parameter asks: also the servers, with one request for each file whose outcome depends on it.
    package mutating func files(_ files: JobFiles, asks: Bool) async -> [FileOutlook] {
        given = Set(
            files.lazy.map(\.spec).filter { $0.fileName != nil }.map { FileTarget(in: $0.directory, $0.fileName) })
        paths = files.contains { $0.nesting != nil } ? PathPlan() : nil
        guard asks else { return files.map { outlook(of: $0) } }
        let plain = files.map { file in
            var looking = self
            return looking.outlook(of: file)
        }
        let answers = await answers(for: plain.indices.filter { !plain[$0].isSettled }.map { ($0, plain[$0].file) })
        return files.enumerated().map { index, file in outlook(of: file, after: answers[index]) }
    }

    // MARK: Servers

    private func answers(for files: [(index: Int, file: JobFile)]) async -> [Int: Result<FileAnswer, JobFailure>] {
        await withTaskGroup(of: (Int, Result<FileAnswer, JobFailure>).self) { group in
            var answers: [Int: Result<FileAnswer, JobFailure>] = [:]
            for (count, (index, file)) in files.enumerated() {
                if count >= Self.requestsAtOnce, let next = await group.next() { answers[next.0] = next.1 }
                group.addTask { (index, await answer(to: file)) }
            }
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
    }

    private func answer(to file: JobFile) async -> Result<FileAnswer, JobFailure> {
        do {
            return .success(try await downloader.answer(to: try file.spec.request(secrets)))
        } catch {
            let stopped = DownloadError(.network, "Asking the server of the file was stopped.", recovery: .retryNow)
            return .failure(JobFailure(error) ?? .download(stopped))
        }
    }

    // MARK: Targets

    private mutating func outlook(
        of file: JobFile, after answer: Result<FileAnswer, JobFailure>? = nil
    ) -> FileOutlook {
        var outlook = FileOutlook(file)
        outlook.answer = try? answer?.get()
        if let error = paths?.add(file) {
            outlook.failure = .download(error)
            return outlook
        }
        do {
            try checkDirectories(of: file)
            noteDirectories(&outlook)
            if case .failure(let failure)? = answer { throw failure }
            if let directory = file.spec.unpacking?.directory {
                try LiveFetches.check(directory, isAlone: file.isAlone, followsLinks: downloader.followsDirectoryLinks)
            }
            guard storesFiles else { return outlook }
            guard file.spec.members.isEmpty else {
                try lookAtMembers(&outlook)
                return outlook
            }
            try look(&outlook, try file.spec.request(secrets))
            lookAtUnpacking(&outlook)
        } catch {
            outlook.failure = JobFailure(error)
        }
        return outlook
    }

    private mutating func look(_ outlook: inout FileOutlook, _ request: DownloadRequest) throws {
        let directory = request.directory
        let isTaken = { [taken, given, paths] (name: String) in
            let target = FileTarget(in: directory, name)
            return taken.contains(target) || request.fileName == nil && given.contains(target)
                || paths?.isDirectory(FileTarget.path(in: directory, name)) ?? false
        }
        if known.contains(ExactText(directory)) {
            // The directory is to be made, and so nothing is in it.
            outlook.isNameFixed = request.fileName != nil || outlook.answer != nil
            outlook.name = request.fileName ?? outlook.answer?.name ?? outlook.name
            guard !isTaken(outlook.name) || request.ifExists == .rename else {
                throw DownloadError.nameHeldByAnother(outlook.name)
            }
            outlook.target = .begins
        } else {
            let found = downloader.outlook(of: request, after: outlook.answer, isTaken: isTaken)
            (outlook.name, outlook.isNameFixed, outlook.target) = (found.name, found.isNameFixed, found.outlook)
        }
        if case .fails(let error) = outlook.target { throw error }
        if case .renames(let name) = outlook.target { outlook.name = name }
        taken.insert(FileTarget(in: directory, outlook.name))
        if outlook.writes, !known.contains(ExactText(directory)) {
            try TargetDirectory.check(directory, for: outlook.name)
        }
    }

    // MARK: Unpacking

    private func lookAtUnpacking(_ outlook: inout FileOutlook) {
        let spec = outlook.file.spec
        guard let unpacking = spec.unpacking else { return }
        let archive = FileTarget.path(in: spec.directory, outlook.name)
        let directory = Unpacking.target(of: archive, in: unpacking.directory, isAlone: outlook.file.isAlone)
        let followsLinks = downloader.followsDirectoryLinks
        if !outlook.writes,
            UnpackedMark(of: archive, patterns: nil, followsLinks: followsLinks)?
                .isSet(on: directory, followsLinks: followsLinks) ?? false
        {
            outlook.unpacking = .skips(directory)
            return
        }
        guard FileKind.isDirectory(PathParts(directory).directory) else {
            outlook.unpacking = .creates(directory)
            return
        }
        // A directory that is not known to be this archive's is never kept.
        let policy: ExtractionOptions.IfExists =
            switch spec.ifExists {
            case .replace: .replace
            case .rename: .rename
            case .fail, .skip, nil: .fail
            }
        do throws(ArchiveError) {
            outlook.unpacking = try Archive.outlook(at: directory, ifExists: policy, followsLinks: followsLinks)
        } catch {
            outlook.unpackingFailure = .archive(error)
        }
    }

    /// Looks at the place of members, if the request names it: else the archive does, which is not asked.
    private func lookAtMembers(_ outlook: inout FileOutlook) throws(ArchiveError) {
        let spec = outlook.file.spec
        guard let place = spec.unpacking?.directory ?? spec.fileName.map({ FileTarget.path(in: spec.directory, $0) })
        else { return }
        guard FileKind.isDirectory(PathParts(place).directory) else {
            outlook.unpacking = .creates(place)
            return
        }
        // A member becomes a file only under a name that was given, and a directory otherwise.
        let isDirectory = spec.unpacking?.directory != nil || FileKind.isDirectory(place)
        outlook.unpacking = try Archive.outlook(
            at: place, isDirectory: isDirectory, ifExists: .init(spec.options.existingFilePolicy),
            followsLinks: downloader.followsDirectoryLinks)
    }

    // MARK: Directories

    /// Checks whether the directories could be made.
    private func checkDirectories(of file: JobFile) throws(DownloadError) {
        let base = file.nesting?.directory ?? file.spec.directory
        if makesDirectories, !FileKind.isDirectory(base) { try TargetDirectory.checkMissing(base) }
        guard let nesting = file.nesting, FileKind.isDirectory(nesting.directory) else { return }
        try nesting.check(followsLinks: downloader.followsDirectoryLinks)
    }

    /// The directories that are missing and would be made, topmost first.
    private mutating func noteDirectories(_ outlook: inout FileOutlook) {
        let spec = outlook.file.spec
        // Nested directories are made beneath that of the job, which is made only if the run is told to.
        guard makesDirectories || outlook.file.nesting.map({ FileKind.isDirectory($0.directory) }) ?? false else {
            return
        }
        var missing: [String] = []
        var directory = spec.directory
        while !directory.isEmpty, FileKind(path: directory) == .missing {
            missing.append(directory)
            let above = PathParts(directory).directory
            guard !above.isExactly(directory) else { break }
            directory = above
        }
        for directory in missing.reversed() where known.insert(ExactText(directory)).inserted {
            outlook.directories.append(directory)
        }
    }
}
