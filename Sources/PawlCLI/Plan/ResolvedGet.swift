import Logging
import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// The request of `pawl get`, ready to be carried out.
struct ResolvedGet: Sendable {
    /// The jobs in the order given; at least one, until they are taken.
    var jobs: JobRows
    /// The same as ``JobBatch/canBeTyped``.
    let canBeTyped: [Bool]
    /// The files they stand for, once their documents were read.
    private(set) var downloads = PlannedDownloads()
    var configuration = Downloader.Configuration()
    let maximumRunning: Int
    let maximumConnectionsPerHost: Int
    let maximumSmallFiles: Int
    let maximumSmallFilesPerHost: Int
    let failsFast: Bool
    /// `-o -`.
    var streamsToOutput = false
    let writesJSON: Bool
    let isQuiet: Bool
    let progressDisplay: ProgressDisplay
    let notifies: Bool
    /// The flags of `pawl extract` that correspond to the flags for unpacking.
    let unpackingFlags: [String]
    /// Warnings to show before anything is downloaded.
    var remarks: [String]
    /// Warnings to show first, even with `-q`.
    var warnings: [String] = []
    /// The command line may be shown: it holds no secret.
    let isFreeOfSecrets: Bool
    /// A list came through a descriptor of this process, so the command alone cannot be repeated.
    let listCannotBeNamed: Bool

    init(_ command: GetCommand, _ batch: JobBatch) {
        (jobs, canBeTyped) = (batch.jobs, batch.canBeTyped)
        maximumRunning = command.queue.jobs ?? 5
        maximumConnectionsPerHost = command.queue.perHost ?? 8
        maximumSmallFiles = command.queue.jobs ?? 64
        maximumSmallFilesPerHost = command.queue.perHost ?? 32
        failsFast = command.queue.failFast
        writesJSON = command.output.json
        isQuiet = command.output.quiet
        progressDisplay = command.progress
        notifies = command.notifies
        unpackingFlags = command.jobs.unpacking.words + command.jobs.words.job.members.flatMap { ["--member", $0] }
        remarks = batch.ignoredOptions.map {
            "“\($0.name)” in \($0.list) is an option of aria2 that has no effect here."
        }
        isFreeOfSecrets = !batch.holdsSecrets
        listCannotBeNamed = command.jobs.inputFile.contains(where: ListFile.isOfThisProcess)
    }

    /// Reports once a missing directory that would fail every file.
    func checkDirectories() throws(DownloadError) {
        guard jobs.count > 1 else { return }
        let directories = jobs.directories
        if let directory = directories.first, directories.count == 1, FileKind(path: directory) == .missing {
            throw DownloadError(
                .notWritable, "There is no directory “\(directory)”.",
                remedies: [.createDirectory, .chooseDirectory], recovery: .giveUp)
        }
    }

    /// Makes the directories that files are to go into.
    func makeDirectories() throws(DownloadError) {
        for directory in jobs.directories {
            guard SystemCalls.makeDirectories(directory) else {
                throw TargetDirectory.cannotCreate(directory, errno: errno)
            }
        }
    }

    /// Whether there is one file, so that messages about it need not name it.
    var isAlone: Bool { downloads.count == 1 }

    /// Gives the jobs to a run. There may be a million, and nobody else may keep them in memory.
    mutating func takeJobs() -> JobRows {
        defer { jobs = JobRows() }
        return jobs
    }

    mutating func settle(_ files: JobFiles) {
        downloads = PlannedDownloads(files: files, canBeTyped: canBeTyped)
    }
}

/// The files of a run, as its display needs them.
struct PlannedDownloads: RandomAccessCollection {
    var files = JobFiles()
    /// Whether each job can be typed, as ``JobBatch/canBeTyped``.
    var canBeTyped: [Bool] = []

    var startIndex: Int { 0 }
    var endIndex: Int { files.count }

    subscript(position: Int) -> PlannedDownload {
        let file = files[position]
        return PlannedDownload(
            JobFileID(position + 1), file, canBeTyped: canBeTyped.indices.contains(file.job) && canBeTyped[file.job])
    }

    subscript(id: JobFileID) -> PlannedDownload { self[id.number - 1] }
}

/// A file of a run.
struct PlannedDownload: Sendable {
    /// The number of the file, which is the `id` of the JSON events.
    let id: JobFileID
    let file: JobFile
    private let isTyped: Bool

    /// The URL may be shown and typed again, and says all there is to say.
    var canBeTyped: Bool { isTyped && !JobDocument.holdsSecrets(file.url) }

    /// - Parameter canBeTyped: but for what the URL holds.
    init(_ id: JobFileID, _ file: JobFile, canBeTyped: Bool = true) {
        (self.id, self.file, isTyped) = (id, file, canBeTyped)
    }
}

extension ResolvedGet {
    /// The output of `-v`; nil without it.
    var verbose: VerboseOutput? { (configuration.logger.handler as? VerboseLogHandler)?.output }
}
