package import Pawl
import PawlArchive
package import PawlCore
import PawlEngine
import PawlMetalink
import PawlSystem
import Synchronization

/// Downloads the files of one run, and members of remote archives: those of a list through the queue of
/// a ``DownloadManager``, a single one through a ``Downloader``.
package final class LiveFetches: JobFetchPort {
    package typealias MakeManager = @Sendable () throws(DownloadError) -> DownloadManager
    /// Takes the bytes of a file in order; returns false if no more are wanted. May block.
    package typealias Reader = @Sendable ([UInt8]) -> Bool

    private let downloader: Downloader
    private let makeManager: MakeManager
    private let password: LiveArchives.Password
    private let planner: JobPlanner
    private let secrets: SecretReader
    private let queuesSingleFiles: Bool
    private let reader: Reader?
    private let managed = Locked<Result<Managed, DownloadError>?>(nil)
    /// The fetches that are not the manager's.
    private let works = Locked<[JobFileID: DownloadWork]>([:])

    private struct Managed {
        let manager: DownloadManager
        let fetches: ManagedFetches
    }

    /// - Parameters:
    ///   - downloader: for the only file of a run.
    ///   - netrc: that of the downloader.
    ///   - queuesSingleFiles: the only file of a run is the manager's, too.
    ///   - reader: takes the bytes of the only file of a run, which is not stored then.
    ///   - password: asked for where members want one.
    ///   - manager: made when it is first needed.
    package init(
        _ downloader: Downloader, _ secrets: SecretReader, netrc: Netrc? = nil, queuesSingleFiles: Bool = true,
        reader: Reader? = nil,
        password: @escaping LiveArchives.Password = { _, _, _ in nil }, manager: @escaping MakeManager
    ) {
        self.downloader = downloader
        self.secrets = secrets
        planner = JobPlanner(secrets, netrc)
        self.queuesSingleFiles = queuesSingleFiles
        self.reader = reader
        self.password = password
        makeManager = manager
    }

    package func prepare(_ file: JobFile) throws(JobFailure) -> PreparedFile {
        do throws(DownloadError) {
            if let password = file.spec.unpacking?.password { _ = try secrets.text(of: password) }
            return try planner.prepare(file)
        } catch {
            throw .download(error)
        }
    }

    package func fetch(_ id: JobFileID, _ file: JobFile, _ tell: @escaping JobTelling) {
        do {
            let followsLinks = downloader.followsDirectoryLinks
            try file.nesting?.make(followsLinks: followsLinks)
            guard file.comesWhole || file.spec.members.isEmpty else {
                return try fetchMembers(id, file, isQueued: !file.isAlone || queuesSingleFiles, tell)
            }
            if let directory = file.spec.unpacking?.directory {
                try Self.check(directory, isAlone: file.isAlone, followsLinks: followsLinks)
            }
            if file.isAlone, reader != nil || !queuesSingleFiles {
                fetchAlone(id, try file.spec.request(secrets), tell)
            } else {
                try queue(id, file, tell)
            }
        } catch {
            tell([JobFailure(error).map { .fetchFailed(id, $0) } ?? .fetchStopped(id)])
        }
    }

    private func fetchMembers(
        _ id: JobFileID, _ file: JobFile, isQueued: Bool, _ tell: @escaping JobTelling
    ) throws(DownloadError) {
        let managed = isQueued ? try theManager() : nil
        // Members of a list share connections and limits with its files.
        let members = LiveMembers(
            downloader: managed?.manager.downloader ?? downloader, secrets: secrets, password: password)
        let work = DownloadWork(id, { tell([$0]) }) { try await members.fetch(file, $0) }
        guard let managed else { return run(work, id, tell) }
        try managed.fetches.fetch(id, try planner.plan(of: file.spec), by: work, tell)
    }

    private func fetchAlone(_ id: JobFileID, _ request: DownloadRequest, _ tell: @escaping JobTelling) {
        let work = DownloadWork(id, { tell([$0]) }) { [downloader, reader] work in
            guard let reader else { return FetchedFile(try await work.watch(try downloader.start(request))) }
            let result = try await work.watch(try downloader.stream(request), reader)
            return FetchedFile(target: FileTarget(path: result.path), result: result)
        }
        run(work, id, tell)
    }

    private func run(_ work: DownloadWork, _ id: JobFileID, _ tell: @escaping JobTelling) {
        works.withLock { $0[id] = work }
        work.start { [self] end in
            works.withLock { _ = $0.removeValue(forKey: id) }
            tell([end])
        }
    }

    package func stop(_ id: JobFileID) {
        if let work = works.withLock({ $0[id] }) { return work.pause() }
        if case .success(let managed) = managed.withLock({ $0 }) { managed.fetches.stop(id) }
    }

    /// Whether there can be a directory to unpack into: not when everything has come.
    static func check(_ directory: String, isAlone: Bool, followsLinks: Bool) throws(ArchiveError) {
        // Of several archives each has a directory of its own in it.
        if !isAlone, FileKind.isDirectory(directory) { return }
        try Archive.checkTarget(directory, followsLinks: followsLinks)
    }

    private func queue(_ id: JobFileID, _ file: JobFile, _ tell: @escaping JobTelling) throws(DownloadError) {
        let plan = try planner.plan(of: file.spec)
        guard try theManager().fetches.fetch(id, plan, isUnpacked: file.isUnpacked, tell) else {
            throw DownloadError(
                .locked, "This run is already downloading the same URL to the same place.", remedies: [],
                recovery: .giveUp)
        }
    }

    private func theManager() throws(DownloadError) -> Managed {
        let result = managed.withLock { managed in
            let result =
                managed
                ?? Result { () throws(DownloadError) in
                    let manager = try makeManager()
                    return Managed(manager: manager, fetches: ManagedFetches(manager))
                }
            managed = result
            return result
        }
        return try result.get()
    }

    /// The hosts that files wait for, each with the number of these.
    package var obstacles: [RunObstacle] {
        guard case .success(let managed) = managed.withLock({ $0 }) else { return [] }
        return managed.manager.hostObstacles.compactMap { RunObstacle($0.reason, count: $0.count) }
    }

    /// Shuts down the manager, which saves the host memory.
    package func shutdown() async {
        if case .success(let managed) = managed.withLock({ $0 }) { await managed.manager.shutdown() }
    }
}

extension JobSpec {
    /// A job that stands for one file, as the only file of its run.
    package func onlyFile(_ secrets: SecretReader, _ netrc: Netrc?) throws(DownloadError) -> JobFile {
        var file = try JobPlanner(secrets, netrc).prepare(JobFile(spec: self)).file
        file.spec.settleIfExists(isOneOfSeveral: false)
        return file
    }
}

/// Work that could not start.
package struct NoWork: JobWork {
    package init() {}

    package func stop() {}
}

extension FetchedFile {
    /// - Parameter isUnpacked: the archive has to be known again before it is.
    init(_ result: DownloadResult, isUnpacked: Bool = true) {
        let target = FileTarget(path: result.path)
        if !isUnpacked, let made = result.trace?.identity {
            self.init(target: target, result: result, identity: FileIdentity(device: made.device, inode: made.inode))
            return
        }
        var status = stat()
        let isKnown = lstat(result.path, &status) == 0
        // A symbolic link is followed for its mark.
        let isLink = isKnown && status.st_mode & S_IFMT == S_IFLNK
        let mark = isLink ? UnpackedMark(of: result.path, patterns: nil) : UnpackedMark(status, patterns: nil)
        self.init(target: target, result: result, mark: mark, identity: isKnown ? FileIdentity(status) : nil)
    }
}
