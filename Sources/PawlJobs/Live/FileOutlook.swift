package import Pawl
import PawlArchive
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
    /// Why it would fail.
    package var failure: JobFailure?

    package init(_ file: JobFile) {
        self.file = file
        name = file.likelyName
    }

    /// The run would end with the file as it is now, and without a request.
    var isSettled: Bool {
        guard isNameFixed, failure == nil else { return isNameFixed }
        return switch target {
        case .skips, .isFinished, .fails: true
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

    /// - Parameters:
    ///   - makesDirectories: the run makes the directories that its jobs name.
    ///   - storesFiles: false of a run whose bytes go elsewhere.
    package init(_ downloader: Downloader, _ secrets: SecretReader, makesDirectories: Bool, storesFiles: Bool = true) {
        (self.downloader, self.secrets) = (downloader, secrets)
        (self.makesDirectories, self.storesFiles) = (makesDirectories, storesFiles)
    }

    /// - Parameter asks: also the servers, with one request for each file whose outcome depends on it.
    package mutating func files(_ files: [JobFile], asks: Bool) async -> [FileOutlook] {
        guard asks else { return files.map { outlook(of: $0, isAlone: files.count == 1) } }
        let plain = files.map { file in
            var looking = self
            return looking.outlook(of: file, isAlone: files.count == 1)
        }
        let answers = await answers(for: plain.indices.filter { !plain[$0].isSettled }.map { ($0, plain[$0].file) })
        return files.enumerated().map { index, file in
            outlook(of: file, isAlone: files.count == 1, after: answers[index])
        }
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
        of file: JobFile, isAlone: Bool, after answer: Result<FileAnswer, JobFailure>? = nil
    ) -> FileOutlook {
        var outlook = FileOutlook(file)
        outlook.answer = try? answer?.get()
        noteDirectories(&outlook)
        if case .failure(let failure)? = answer {
            outlook.failure = failure
            return outlook
        }
        do {
            if let directory = file.spec.unpacking?.directory {
                try LiveFetches.check(directory, isAlone: isAlone, followsLinks: downloader.followsDirectoryLinks)
            }
            guard storesFiles, file.spec.members.isEmpty else { return outlook }
            try look(&outlook, try file.spec.request(secrets))
        } catch {
            outlook.failure = JobFailure(error)
        }
        return outlook
    }

    private mutating func look(_ outlook: inout FileOutlook, _ request: DownloadRequest) throws {
        let directory = request.directory
        if known.contains(ExactText(directory)) {
            // The directory is to be made, and so nothing is in it.
            outlook.isNameFixed = request.fileName != nil || outlook.answer != nil
            outlook.name = request.fileName ?? outlook.answer?.name ?? outlook.name
            guard !taken.contains(FileTarget(in: directory, outlook.name)) || request.ifExists == .rename else {
                throw DownloadError.nameHeldByAnother(outlook.name)
            }
            outlook.target = .begins
        } else {
            let found = downloader.outlook(of: request, after: outlook.answer) { [taken] name in
                taken.contains(FileTarget(in: directory, name))
            }
            (outlook.name, outlook.isNameFixed, outlook.target) = (found.name, found.isNameFixed, found.outlook)
        }
        if case .fails(let error) = outlook.target { throw error }
        if case .renames(let name) = outlook.target { outlook.name = name }
        taken.insert(FileTarget(in: directory, outlook.name))
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
